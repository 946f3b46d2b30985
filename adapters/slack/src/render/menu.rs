//! What can be done beside yes and no: the menu behind a card's buttons, and the buttons in Details.

use placet::card::{CardView, StateView};
use placet::text::{DialogText, Texts};
use serde_json::Value;

use super::sheet::Sheet;
use super::target::{Deed, Target};
use crate::limits::OVERFLOW_OPTIONS_MIN;
use crate::mrkdwn::{ButtonStyle, Choice, actions, button, overflow, with_confirm};

/// The menu of a card.
pub(crate) const MENU_ACTION: &str = "placet_more";
/// The button in Details that says that one is looking, or no longer is.
pub(crate) const LOOK_ACTION: &str = "placet_look";
/// The block with these buttons in Details.
const MORE_BLOCK: &str = "placet_more_buttons";

/// The menu behind the buttons of a card: a card is the same for everybody, and the gate knows who may. None where there are
/// too few choices for one; Details has them all.
pub(super) fn of_card(view: &CardView, texts: &Texts) -> Option<Value> {
    let StateView::Waiting { may_edit, may_ask, .. } = view.state else { return None };
    let edit = may_edit.then_some((Deed::Open(Sheet::Edit), DialogText::EditButton));
    let ask = may_ask.then_some((Deed::Open(Sheet::Ask), DialogText::AskButton));
    let deeds = edit.into_iter().chain(ask).chain([(Deed::Look, DialogText::LookButton)]);
    let (request, code) = (view.request, &view.code);
    let said: Vec<(String, String)> = deeds
        .map(|(deed, text)| {
            let target = Target { deed, request, code: code.clone(), question: None };
            (texts.dialog(text), target.encode())
        })
        .collect();
    let choices: Vec<Choice<'_>> = said.iter().map(|(text, value)| Choice { text, value }).collect();
    (choices.len() >= OVERFLOW_OPTIONS_MIN).then(|| overflow(MENU_ACTION, &choices))
}

/// The menu of one part of a card, by its number from 1.
pub(super) fn of_part(view: &CardView, number: usize, texts: &Texts) -> Option<Value> {
    let mut menu = of_card(view, texts)?;
    menu["action_id"] = Value::from(format!("{MENU_ACTION}_{number}"));
    Some(menu)
}

/// The buttons in Details for these, and, where the request waits, to say that one is looking, from this page; what they
/// are about stands in the dialog's reference.
pub(super) fn of_details(sheets: &[Sheet], looks_from: Option<usize>, texts: &Texts) -> Option<Value> {
    let one = |sheet: &Sheet| {
        let style = if *sheet == Sheet::BreakGlass { ButtonStyle::Danger } else { ButtonStyle::Plain };
        let plain = button(sheet.action(), &texts.dialog(sheet.button()), sheet.name(), style);
        let ask = |title: DialogText, text: DialogText, yes: DialogText| {
            let (yes, no) = (texts.dialog(yes), texts.dialog(DialogText::CriticalNo));
            with_confirm(plain.clone(), &texts.dialog(title), &texts.dialog(text), (&yes, &no))
        };
        match sheet {
            Sheet::BreakGlass => {
                ask(DialogText::GlassAskTitle, DialogText::GlassAskText, DialogText::GlassAskYes)
            }
            Sheet::Freeze => {
                ask(DialogText::FreezeAskTitle, DialogText::FreezeAskText, DialogText::FreezeAskYes)
            }
            Sheet::Settle | Sheet::Edit | Sheet::Ask | Sheet::Answer | Sheet::Review => plain,
        }
    };
    let mut buttons: Vec<Value> = sheets.iter().map(one).collect();
    if let Some(page) = looks_from {
        let said = texts.dialog(DialogText::LookButton);
        buttons.push(button(LOOK_ACTION, &said, &page.to_string(), ButtonStyle::Plain));
    }
    (!buttons.is_empty()).then(|| actions(MORE_BLOCK, buttons))
}
