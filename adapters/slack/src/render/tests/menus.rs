//! The menus of a gathered card's parts.

use super::*;
use crate::render::is_action;
use crate::render::menu::MENU_ACTION;

/// Which parts have a menu, by their number.
fn menus(blocks: &[Value]) -> Vec<String> {
    let rows = blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let ids = rows.filter_map(|element| element["action_id"].as_str());
    ids.filter(|id| is_action(id, MENU_ACTION)).map(str::to_owned).collect()
}

/// R27, R46: each part has its menu or none has; a menu never takes the room of a call, so that whether a part is full does not
/// depend on it; and with menus too the card keeps Slack's limits, whatever stands on it.
#[test]
fn menus_take_only_the_room_that_is_left() {
    let mut seen = std::collections::BTreeSet::new();
    for length in (0..4_000).step_by(250) {
        let card = gathered(["a", "b", "c"].map(|name| json!({ "path": name.repeat(length + 1) })));
        let rendering = rendered(&card);
        assert_fits(&rendering);
        let menus = menus(&rendering.blocks);
        assert!(
            menus.is_empty() || menus == ["placet_more_1", "placet_more_2", "placet_more_3"],
            "{menus:?}"
        );
        let text = Value::from(rendering.blocks).to_string();
        let all = std::iter::once(&card).chain(&card.parts);
        for part in all {
            let full = ButtonValue::of(part, &slack(), true).encode();
            let own = part.request == card.request;
            let shows_all = if own { rendering.full } else { shows_all_of(&card, part, &slack(), texts()) };
            assert_eq!(text.contains(&full), shows_all, "{length}: {}", part.request);
        }
        seen.insert((rendering.full, menus.is_empty()));
    }
    assert!(
        seen.contains(&(true, false)) && seen.contains(&(true, true)),
        "whole calls without room for menus: {seen:?}"
    );
}
