//! The languages beside each other: what one says, the other says too.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};

use super::*;
use crate::card::AskedAgain;

/// What a text takes in, and between which words it chooses by it: whatever language it is in, it must say as much.
#[derive(Debug, Default, PartialEq, Eq)]
struct Takes {
    /// What is inserted.
    inserted: BTreeSet<String>,
    /// What is chosen by, with the words and numbers that are told apart. Plural forms are each language's own.
    chosen: BTreeSet<(String, String)>,
}

/// The forms of plurals: how many there are differs from language to language.
const PLURALS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

impl Takes {
    fn of(pattern: &Pattern<&str>) -> Self {
        let mut takes = Self::default();
        takes.read(pattern);
        takes
    }

    fn read(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            let PatternElement::Placeable { expression } = element else { continue };
            match expression {
                Expression::Inline(inserted) => {
                    self.inserted.insert(variable(inserted));
                }
                Expression::Select { selector, variants } => {
                    for variant in variants {
                        let key = match variant.key {
                            VariantKey::Identifier { name } => name,
                            VariantKey::NumberLiteral { value } => value,
                        };
                        if !PLURALS.contains(&key) {
                            self.chosen.insert((variable(selector), key.to_owned()));
                        }
                        self.read(&variant.value);
                    }
                }
            }
        }
    }
}

fn variable(expression: &InlineExpression<&str>) -> String {
    match expression {
        InlineExpression::VariableReference { id } => id.name.to_owned(),
        InlineExpression::TermReference { id, attribute: None, arguments: None } => format!("-{}", id.name),
        other => panic!("a text takes in nothing but what it is given: {other:?}"),
    }
}

/// What each text of a language takes in.
fn texts_of(language: Language) -> BTreeMap<String, Takes> {
    let mut texts = BTreeMap::new();
    for source in language.sources() {
        let resource = FluentResource::try_new((*source).to_owned()).unwrap();
        for entry in resource.entries() {
            match entry {
                Entry::Message(message) => {
                    let pattern = message.value.as_ref().unwrap();
                    let twice = texts.insert(message.id.name.to_owned(), Takes::of(pattern));
                    assert!(twice.is_none(), "{language:?} says {} twice", message.id.name);
                }
                // The word that commands begin with is inserted as it is in every language.
                Entry::Term(term) => assert_eq!(term.id.name, "command", "{language:?}"),
                Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                other => panic!("{language:?} holds something else than texts: {other:?}"),
            }
        }
    }
    texts
}

/// R42: each key stands in every language, and takes in the same.
#[test]
fn every_language_says_everything() {
    let english = texts_of(Language::English);
    for language in Language::ALL {
        let texts = texts_of(language);
        let keys = |texts: &BTreeMap<String, Takes>| texts.keys().cloned().collect::<BTreeSet<_>>();
        let (these, those) = (keys(&texts), keys(&english));
        let alone: Vec<_> = these.symmetric_difference(&those).collect();
        assert!(alone.is_empty(), "either {language:?} or English lacks {alone:?}");
        for (key, takes) in &texts {
            assert_eq!(takes, &english[key], "what {key} takes in, in {language:?} and in English");
        }
    }
}

/// R42: each file of the folders is one that is read: one that is not listed would be missed by nobody.
#[test]
fn every_file_is_read() {
    let named = |folder: &str, language: Language| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text").join(folder);
        let files: Vec<_> = std::fs::read_dir(path).unwrap().map(|file| file.unwrap()).collect();
        for file in &files {
            let text = std::fs::read_to_string(file.path()).unwrap();
            let read = language.sources().contains(&text.as_str());
            assert!(read, "{} is not listed in Language::sources()", file.path().display());
        }
        assert_eq!(files.len(), language.sources().len(), "{folder}: a file is listed twice");
        files.iter().map(std::fs::DirEntry::file_name).collect::<BTreeSet<_>>()
    };
    assert_eq!(named("en", Language::English), named("zh", Language::SimplifiedChinese));
}

/// R42: whatever a profile calls its language, it is found; of one that there is not, the next in line decides.
#[test]
fn tags_name_languages() {
    for language in Language::ALL {
        assert_eq!(Language::of_tag(language.tag()), Some(language));
    }
    for tag in ["en", "en-GB", "en_US", "EN-us", "en-US-posix"] {
        assert_eq!(Language::of_tag(tag), Some(Language::English), "{tag}");
    }
    for tag in ["zh", "zh-CN", "zh-Hans", "zh_SG", "zh-Hans-HK", "ZH-cn", "zh-TW", "zh-Hant", "zh_HK"] {
        assert_eq!(Language::of_tag(tag), Some(Language::SimplifiedChinese), "{tag}");
    }
    for tag in ["", "-", "tlh", "de-DE", "zhx", "e", "en.UTF-8", "中文"] {
        assert_eq!(Language::of_tag(tag), None, "{tag}");
    }
}

/// R42: Chinese is written with the marks of Chinese.
#[test]
fn chinese_has_the_marks_of_chinese() {
    // What is inserted, and what people type: a command and its filters.
    let taken_in =
        regex::Regex::new(r"\{ -command \}( [A-Za-z0-9:@…-]+)*|placet stop --all|#\d|@bo:[a-z.]+|\{[^}]*\}?")
            .unwrap();
    let lines = Language::SimplifiedChinese.sources().iter().flat_map(|source| source.lines());
    let texts = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some((line, line.split_once([']', '='])?.1)));
    let wrong = texts.filter(|(_, text)| {
        let own = taken_in.replace_all(text, "");
        own.contains([',', ';', ':', '?', '!', '(', ')', '"', '\'']) || own.trim_end().ends_with('.')
    });
    let wrong: Vec<&str> = wrong.map(|(line, _)| line).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}

/// R33: a surface whose commands begin with another word is read with that word, in every language, whatever signs are in it.
#[test]
fn commands_begin_with_the_word_of_the_surface() {
    for language in Language::ALL {
        for word in ["!placet", "\\{\"x\"} -"] {
            let texts = Texts::with_commands(language, word);
            assert_eq!(texts.command_example("help"), format!("{word} help"));
            let none = texts.command_label(crate::text::CommandLabel::AuditNone);
            assert!(none.contains(&format!("{word} help")) && !none.contains("/placet"), "{none}");
        }
        let none = Texts::new(language).command_label(crate::text::CommandLabel::AuditNone);
        assert!(none.contains("/placet help"), "{none}");
    }
}

/// R42: what the English tests show one by one, in Chinese.
#[test]
fn sentences_of_the_card_read_well_in_chinese() {
    let texts = Texts::of(Language::SimplifiedChinese);
    let lines = [refused(texts), grounds(texts), remarks(texts), rules(texts), needs(texts)].concat();
    assert_snapshot!("sentences_zh-Hans", lines.join("\n"));
}

fn refused(texts: &Texts) -> Vec<String> {
    let many = names(&["A", "B", "C", "D", "E", "F", "G", "H"]);
    let refusal = Refusal::WrongRole { needs: vec![role("admin")] };
    [&many[..], &many[..7], &[]].map(|who_can| texts.refusal(&refusal, who_can, &PLAIN)).into()
}

fn grounds(texts: &Texts) -> Vec<String> {
    let alone = |reviewed_by: Option<&str>| GroundsView::Alone {
        name: visible("王芳"),
        reason: visible("磁盘已满"),
        at: at(8),
        reviewed_by: reviewed_by.map(visible),
    };
    let remembered = GroundsView::Remembered { names: vec![visible("Bo"), visible("Chen")], until: at(60) };
    let line = |grounds| {
        let approved = StateView::Approved { votes: Vec::new(), unasked: false, until: at(18) };
        texts.state_line(&CardView { grounds: Some(grounds), ..card(approved) }, &PLAIN)
    };
    [remembered, GroundsView::Silence, alone(None), alone(Some("Bo"))].map(line).into()
}

fn remarks(texts: &Texts) -> Vec<String> {
    let mut lines = Vec::new();
    let mut view = card(waiting(&[("admin", 1, 0)], (1, 1), Vec::new()));
    view.call.calls = 3;
    view.shares = true;
    view.call.requester_may_approve = true;
    view.call.edited = Some(EditedView { by: visible("Bo"), changes: visible("+ x") });
    for tier in [Tier::Approve, Tier::Forbid, Tier::Auto] {
        view.call.shadow = Some(tier);
        lines.extend(texts.remarks(&view, &PLAIN));
        view.call.requester_may_approve = false;
    }
    let earlier = [
        AskedAgain::Denied { reason: Some(visible("还要用")), by: vec![visible("Bo")], at: Some(at(8)) },
        AskedAgain::Denied { reason: None, by: Vec::new(), at: None },
        AskedAgain::Unanswered,
        AskedAgain::Unasked,
    ];
    lines.extend(earlier.iter().filter_map(|earlier| texts.asked_again(Some(earlier), &PLAIN)));
    let figure = |name, value| FigureView { name, value: visible(value) };
    let reach = ["session", "team", "everybody", "outside", "elsewhere"];
    view.call.figures = vec![
        figure(FigureName::Amount, "1200"),
        figure(FigureName::Count, "3"),
        figure(FigureName::Affected, "40"),
        figure(FigureName::Environment, "production"),
        figure(FigureName::DataLevel, "confidential"),
        figure(FigureName::Reversible, "no"),
        figure(FigureName::Reversible, "yes"),
    ];
    view.call.figures.extend(reach.map(|value| figure(FigureName::Reach, value)));
    lines.extend(texts.figures(&view.call, &PLAIN));
    view.call.remember =
        Some(RememberView { pattern: visible("path=demo-notes/…"), within: Ttl::from_mins(60) });
    lines.extend(texts.remember(&view.call, &PLAIN));
    lines
}

fn rules(texts: &Texts) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in [RuleKind::Rule, RuleKind::Raise, RuleKind::Forbid, RuleKind::Default] {
        for because in ["夜间不得改动。", ""] {
            let rule = RuleView { kind, raised_to: Some(Level::Critical), ..rule_view(because) };
            lines.push(texts.rule(&rule, &PLAIN));
        }
    }
    let error = Some(visible("no such key: amount"));
    lines.push(texts.rule(&RuleView { error, ..rule_view("夜间不得改动。") }, &PLAIN));
    lines
}

fn needs(texts: &Texts) -> Vec<String> {
    let mut lines = Vec::new();
    let needs = |groups: &[(&str, u32, u32)], stage| texts.needs(&waiting(groups, stage, Vec::new()), &PLAIN);
    lines.extend(needs(&[("admin", 2, 0)], (1, 1)));
    lines.extend(needs(&[("releaser", 2, 1)], (1, 2)));
    lines.extend(needs(&[("operator", 1, 1), ("finance", 1, 0), ("auditor", 2, 0)], (1, 1)));
    let mut escalated = waiting(&[("admin", 1, 0)], (1, 1), Vec::new());
    if let StateView::Waiting { as_well, votes, .. } = &mut escalated {
        as_well.push(role("on-call"));
        let stands_in_for = vec![visible("Ana"), visible("Dana")];
        votes.push(VoteView { stands_in_for, ..vote("Bo", Decision::Deny, None, 7) });
        lines.push(texts.votes(votes, &PLAIN));
    }
    lines.extend(texts.needs(&escalated, &PLAIN));
    let open =
        [Need { role: role("viewer"), count: 2, have: 1 }, Need { role: role("admin"), count: 1, have: 0 }];
    lines.push(texts.counted(Decision::Approve, &open, &PLAIN));
    lines.push(texts.counted(Decision::Approve, &[], &PLAIN));
    lines.push(texts.counted(Decision::Deny, &open, &PLAIN));
    lines.extend([0, 1, 2].map(|waiting| texts.gathered(3, waiting)));
    lines.extend(
        [(1, false), (1, true), (2, false), (2, true)].map(|(calls, asks)| texts.approve(calls, asks)),
    );
    lines.push(texts.page(2, 3));
    lines.push(texts.label_of_the_agent(Label::Task));
    lines
}
