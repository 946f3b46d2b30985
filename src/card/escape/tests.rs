use proptest::prelude::*;
use unicode_security::skeleton;
use unicode_segmentation::UnicodeSegmentation;

use super::hidden::{is_default_ignorable, is_hidden, may_stand};
use super::*;

fn shown(text: &str) -> String {
    visible(text).into_string()
}

fn warned(invisible: u32, bidi: u32, mixed_script: u32, combining: u32) -> Warnings {
    Warnings { invisible, bidi, mixed_script, combining }
}

#[test]
fn plain_text_of_living_scripts_stays() {
    let texts = [
        "rm -rf ./build && echo \"done\"\n\tnext",
        "删除旧文件，用Python写。第一page，β版，路径：/etc/hosts（只读）",
        "　　段落以两个全角空格开始。東京　大阪",
        "古いファイルを削除。PCノート、iPhoneを使う。ｶﾀｶﾅ、コーヒー",
        "파일을 삭제합니다. API호출",
        "Удалить старые файлы из проекта: рор, сор, УРА, USB-кабель, и/или",
        "حذف الملفات القديمة ٣ ملفات، الـAPI، می‌خواهم",
        "מחיקת קבצים ישנים, שָׁלוֹם, ה-API",
        "पुरानी फ़ाइलें हटाएँ, क्‍ष और क्‌ष, র‍্য, ശ്രീ",
        "ลบไฟล์เก่า ใช้Python",
        "Tiếng Việt, Işık, Straße, naïve, Œuvre, nº 1ª, ½ m²",
        "kΩ, Δt, 5 µs, λx, H₂O, 20 °C, €5, don’t – “quoted” — wait…",
        "👩‍👩‍👧 👍🏽 ❤️ 1️⃣ #️⃣ 🏳️‍🌈 ☎︎ ©️ 🇩🇪",
        "ᠮᠣᠩᠭᠣᠯ, ქართული, Հայերեն, አማርኛ, ខ្មែរ, မြန်မာ, བོད",
        "e\u{301} cafe\u{301} \u{1112}\u{1161}\u{11ab}",
        "https://example.com/a?b=c#d user@example.com C:\\dir main.rs:12 x86_64-linux",
        "https://example.com/пример https://пример.рф/страница файл.txt",
    ];
    for text in texts {
        assert_eq!(visible(text), Visible { text: text.to_owned(), warnings: Warnings::default() });
    }
}

#[test]
fn what_does_not_show_becomes_visible() {
    let table = [
        ("a\u{200b}b", "a⟨U+200B⟩b", warned(1, 0, 0, 0)),
        ("a\u{202e}b\u{2066}", "a⟨U+202E⟩b⟨U+2066⟩", warned(0, 2, 0, 0)),
        ("rm\u{a0}-rf", "rm⟨U+00A0⟩-rf", warned(1, 0, 0, 0)),
        ("a\u{3000}b", "a⟨U+3000⟩b", warned(1, 0, 0, 0)),
        ("\u{1b}[2J\u{7}\0", "⟨U+001B⟩[2J⟨U+0007⟩⟨U+0000⟩", warned(3, 0, 0, 0)),
        ("a\r\nb\rc", "a⟨U+000D⟩\nb⟨U+000D⟩c", warned(1, 0, 0, 0)),
        ("\u{e0041}\u{e0042}", "⟨U+E0041⟩⟨U+E0042⟩", warned(2, 0, 0, 0)),
        ("a\u{200b}\u{200b}\u{200b}\u{200b}", "a⟨U+200B ×4⟩", warned(4, 0, 0, 0)),
        ("soft\u{ad}hyphen", "soft⟨U+00AD⟩hyphen", warned(1, 0, 0, 0)),
        ("\u{2028}\u{2029}\u{85}", "⟨U+2028⟩⟨U+2029⟩⟨U+0085⟩", warned(3, 0, 0, 0)),
        ("\u{e000}\u{f0000}\u{ffff}\u{378}", "⟨U+E000⟩⟨U+F0000⟩⟨U+FFFF⟩⟨U+0378⟩", warned(4, 0, 0, 0)),
        ("\u{fff9}x\u{fffa}y\u{fffb}", "⟨U+FFF9⟩x⟨U+FFFA⟩y⟨U+FFFB⟩", warned(3, 0, 0, 0)),
        ("a\u{fe0f}b\u{e0101}", "a⟨U+FE0F⟩b⟨U+E0101⟩", warned(2, 0, 0, 0)),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}⟨U+FE0F⟩", warned(1, 0, 0, 0)),
        ("1\u{fe0f}", "1⟨U+FE0F⟩", warned(1, 0, 0, 0)),
        ("a\u{200d}b 👍\u{200d} \u{200d}👍", "a⟨U+200D⟩b 👍⟨U+200D⟩ ⟨U+200D⟩👍", warned(3, 0, 0, 0)),
        ("कार\u{200d}", "कार⟨U+200D⟩", warned(1, 0, 0, 0)),
        ("دا\u{200c}د", "دا⟨U+200C⟩د", warned(1, 0, 0, 0)),
        ("🏴\u{e0067}\u{e007f}", "🏴⟨U+E0067⟩⟨U+E007F⟩", warned(2, 0, 0, 0)),
        ("\u{3164}\u{2800}\u{feff}", "⟨U+3164⟩⟨U+2800⟩⟨U+FEFF⟩", warned(3, 0, 0, 0)),
    ];
    for (text, expected, warnings) in table {
        assert_eq!(visible(text), Visible { text: expected.to_owned(), warnings }, "{text:?}");
    }
}

#[test]
fn no_text_fakes_an_escape_or_a_frame() {
    assert_eq!(shown("⟨U+0041⟩"), "⟨U+27E8⟩U+0041⟨U+27E9⟩");
    assert_eq!(shown("⟦ok⟧"), "⟨U+27E6⟩ok⟨U+27E7⟩");
    assert_eq!(visible_line("a⏎b\n\tc⇥").as_str(), "a⟨U+23CE⟩b⏎⇥c⟨U+21E5⟩");
    assert!(!visible_line("a\nb").warnings().any());
}

#[test]
fn heaps_of_marks_are_cut() {
    let heap = format!("Z{}a", "\u{0301}\u{0320}".repeat(10));
    assert_eq!(shown(&heap), "Z\u{301}\u{320}\u{301}\u{320}⟨16 combining marks⟩a");
    assert_eq!(visible(&heap).warnings(), warned(0, 0, 0, 1));
    assert_eq!(shown("\u{301}a\n\u{301}"), "⟨U+0301⟩a\n⟨U+0301⟩");
    // A mark must not change one of our signs.
    assert_eq!(shown("\u{200b}\u{338}x"), "⟨U+200B⟩⟨U+0338⟩x");
    assert_eq!(shown("a\u{20dd}"), "a⟨U+20DD⟩");
}

#[test]
fn words_of_mixed_scripts_are_framed() {
    let table = [
        ("раypal", "⟦раypal⟧"),
        ("log in at раypal.com", "log in at ⟦раypal⟧.com"),
        ("ѕudo rm", "⟦ѕudo⟧ rm"),
        ("gοοgle", "⟦gοοgle⟧"),
        ("pay_раl", "pay_⟦раl⟧"),
        ("Ωмега", "⟦Ωмега⟧"),
        ("p𝚊ypal", "⟦p𝚊ypal⟧"),
        ("paypaⅼ", "⟦paypaⅼ⟧"),
        ("ﬁle", "⟦ﬁle⟧"),
        ("gօօgle", "⟦gօօgle⟧"),
        ("https://сор.com/x", "https://⟦сор⟧.com/x"),
        ("x=а", "x=⟦а⟧"),
        ("bank.com∕evil.com", "bank.com⟦∕⟧evil.com"),
        ("https：//a.b", "https⟦：⟧//a.b"),
        ("evil․com", "evil⟦․⟧com"),
        ("my‐host.com", "my⟦‐⟧host.com"),
        ("evil.comノx", "evil.com⟦ノ⟧x"),
        ("pay\u{200b}ра", "pay⟨U+200B⟩⟦ра⟧"),
    ];
    for (text, expected) in table {
        let out = visible(text);
        assert_eq!(out.as_str(), expected);
        assert_eq!(out.warnings().mixed_script, 1, "{text}");
    }
}

#[test]
fn default_ignorables_are_those_of_the_unicode_data() {
    for char in (0..=0x10_ffff).filter_map(char::from_u32) {
        let by_data = skeleton(char.encode_utf8(&mut [0; 4])).next().is_none();
        assert_eq!(is_default_ignorable(char), by_data, "U+{:04X}", u32::from(char));
    }
}

#[test]
fn stored_text_is_checked_when_read() {
    for text in ["раypal \u{200b}", "plain", "👩‍👩‍👧 می‌خواهم", "\u{301}x\r\n"] {
        let out = visible(text);
        let stored = serde_json::to_string(&out).unwrap();
        assert_eq!(serde_json::from_str::<Visible>(&stored).unwrap(), out);
    }
    for text in ["a\u{202e}b", "\u{1b}[2J", "\r\n"] {
        let stored = serde_json::json!({ "text": text, "warnings": Warnings::default() });
        assert!(serde_json::from_value::<Visible>(stored).is_err(), "{text:?}");
    }
}

#[test]
fn warnings_add_up() {
    assert!(!Warnings::default().any());
    assert_eq!(warned(1, 2, 3, 4).merge(warned(1, 0, 0, u32::MAX)), warned(2, 2, 3, u32::MAX));
}

#[test]
fn cuts_say_what_is_missing() {
    let text = format!("abc{}xyz", "-".repeat(1_234));
    assert_eq!(
        cut_middle(&text, 40),
        Cut { text: "abc---…⟨1,229 characters left out⟩…--xyz".into(), left_out: 1_229 }
    );
    assert_eq!(cut_end(&text, 38).text, "abc-------…⟨1,230 characters left out⟩");
    assert_eq!(shorten_middle("DELETE FROM orders WHERE id = 7", 22).text, "DELETE FROM…ERE id = 7");
    assert_eq!(cut_middle("short", 5), Cut { text: "short".into(), left_out: 0 });
    assert_eq!(cut_middle(&text, 10), Cut { text: "…".into(), left_out: 1_240 });
    assert_eq!(cut_end(&text, 0), Cut { text: String::new(), left_out: 1_240 });
}

#[test]
fn cuts_split_no_character_escape_or_frame() {
    let text = visible(&"👩‍👩‍👧 раypal \u{200b} e\u{301}\u{302}".repeat(40)).into_string();
    for max_chars in 0..text.chars().count() {
        let short = shorten_middle(&text, max_chars).text;
        let (head, tail) = short.split_once('…').unwrap_or((&short, ""));
        assert!(
            short.chars().count() <= max_chars && text.starts_with(head) && text.ends_with(tail),
            "{short}"
        );
        for part in [head, tail] {
            assert_eq!(part.matches('⟨').count(), part.matches('⟩').count(), "{part}");
        }
        for cut in [cut_middle(&text, max_chars), cut_end(&text, max_chars)] {
            assert!(cut.text.chars().count() <= max_chars);
            assert!(cut.left_out > 0);
            let (head, tail) = cut.text.split_once('…').unwrap_or((&cut.text, ""));
            assert!(text.starts_with(head));
            let tail = tail.rsplit_once('…').map_or("", |(_, tail)| tail);
            assert!(text.ends_with(tail));
            for part in [head, tail] {
                assert_eq!(part.matches('⟨').count(), part.matches('⟩').count(), "{part}");
                assert_eq!(part.matches('⟦').count(), part.matches('⟧').count(), "{part}");
                for grapheme in part.graphemes(true) {
                    assert!(text.graphemes(true).any(|whole| whole == grapheme), "{grapheme}");
                }
            }
        }
    }
}

/// Text with more of what is dangerous than chance would give.
fn any_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(
        "\u{200b}\u{200d}\u{200c}\u{202e}\u{fe0f}\u{301}\u{20e3}\u{3000}\u{a0}\r\n\t⟨⟩⟦⟧⏎…раaуp1.:/∕क\u{94d}👍ーノ中"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![odd, any::<char>(), prop::char::range(' ', '~')], 0..60)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn nothing_dangerous_gets_through(text in any_text()) {
        for out in [visible(&text), visible_line(&text)] {
            for char in out.as_str().chars() {
                prop_assert!(may_stand(char), "U+{:04X}", u32::from(char));
            }
            let stored = serde_json::to_string(&out).unwrap();
            prop_assert_eq!(serde_json::from_str::<Visible>(&stored).unwrap(), out);
        }
        prop_assert!(!visible_line(&text).as_str().contains(['\n', '\t']));
    }

    /// Without the signs of this module, what went in comes out: nothing is dropped or reordered.
    #[test]
    fn what_shows_stays_in_order(text in any_text()) {
        let kept = |text: &str| {
            text.chars().filter(|c| c.is_alphabetic() && !is_hidden(*c)).collect::<String>()
        };
        let mut out = String::new();
        let mut within = false;
        for char in visible(&text).as_str().chars() {
            match char {
                '⟨' => within = true,
                '⟩' => within = false,
                _ if !within => out.push(char),
                _ => {}
            }
        }
        let letters = |text: &str| {
            kept(text).chars().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect::<String>()
        };
        prop_assert_eq!(letters(&out), letters(&text));
    }

    #[test]
    fn plain_ascii_stays(text in "[ -~\n\t]{0,200}") {
        prop_assert_eq!(shown(&text), text);
    }

    #[test]
    fn any_cut_keeps_to_its_limit(text in any_text(), max_chars in 0_usize..80) {
        for cut in [cut_middle(&text, max_chars), cut_end(&text, max_chars), shorten_middle(&text, max_chars)] {
            prop_assert!(cut.text.chars().count() <= max_chars);
            prop_assert_eq!(cut.left_out == 0, cut.text == text);
        }
    }
}
