//! What is wrong with a policy when it is loaded: each with file, line, column and caret, as compilers give them.

use insta::assert_snapshot;

use super::super::diagnostic::{Diagnostic, Severity};
use super::*;

/// What is wrong, and a policy that is: `«` stands before where it must be shown.
const WRONG: [(&str, &str); 16] = [
    (
        "an unknown key",
        "[[rule]]\nname = \"deploys\"\ntools = [\"deploy\"]\nlevel = \"high\"\nbecause = \"So.\"\n«whem = 'true'\n",
    ),
    ("an unknown table", "[«wether]\nwind = \"west\"\n"),
    (
        "an unknown name in a condition",
        "[[rule]]\nname = \"nights\"\ntools = [\"deploy\"]\nlevel = \"high\"\nbecause = \"So.\"\nwhen = '«time.nigth'\n",
    ),
    ("a role nobody has", "[levels.high]\nrole = «\"releaser\"\n"),
    (
        "a role nobody has, in an escalation",
        "[levels.high]\nescalation = [{ after = \"5m\", to = [«\"boss\"] }]\n",
    ),
    (
        "a rule that an earlier one covers",
        "[[rule]]\nname = «\"late\"\ntools = [\"read_file\"]\nlevel = \"high\"\nbecause = \"So.\"\n",
    ),
    (
        "a rule that what is forbidden covers",
        "[[forbid]]\nname = \"never\"\ntools = [\"drop_*\"]\nbecause = \"So.\"\n[[raise]]\nname = «\"drops\"\ntools = [\"drop_table\"]\nby = 1\nbecause = \"So.\"\n",
    ),
    ("a wrong type", "[fatigue]\ncards_per_run = «\"ten\"\n"),
    (
        "a wrong type in a condition",
        "[[raise]]\nname = \"late\"\ntools = [\"deploy\"]\nby = 1\nbecause = \"So.\"\nwhen = 'time.hour «> \"20\"'\n",
    ),
    (
        "a condition that is none",
        "[[raise]]\nname = \"late\"\ntools = [\"deploy\"]\nby = 1\nbecause = \"So.\"\nwhen = 'time.hour >« '\n",
    ),
    ("a group that can never be filled", "[levels.high]\nstages = «[[{ role = \"admin\", count = 3 }]]\n"),
    (
        "a rule's own group that can never be filled",
        "[[rule]]\nname = \"deploys\"\ntools = [\"deploy\"]\nlevel = \"high\"\nbecause = \"So.\"\n«role = \"admin\"\ncount = 3\n",
    ),
    (
        "a rule that only who asks could approve, by their name",
        "[[rule]]\nname = \"keys\"\ntools = [\"rotate_key\"]\nwhen = 'requester.person == \"sam\" && args.all'\nlevel = \"high\"\nbecause = \"So.\"\n«role = \"security\"\n[[people]]\nid = \"sam\"\nname = \"Sam\"\nroles = [\"security\"]\nterminal = [\"sam\"]\n",
    ),
    (
        "a rule that only who asks could approve, by their role",
        "[levels.high]\nrole = \"security\"\n[[rule]]\nname = \"keys\"\ntools = [\"rotate_key\"]\nwhen = '\"security\" in requester.roles'\nlevel = «\"high\"\nbecause = \"So.\"\n[[people]]\nid = \"sam\"\nname = \"Sam\"\nroles = [\"security\"]\nterminal = [\"sam\"]\n",
    ),
    ("silence that is a yes above low", "[levels.medium]\ntier = \"approve\"\napprove_on_timeout = «true\n"),
    (
        "silence that is a yes above low, by a rule",
        "[[rule]]\nname = \"deploys\"\ntools = [\"deploy\"]\nlevel = \"high\"\nbecause = \"So.\"\napprove_on_timeout = «true\n",
    ),
];

/// R14: each kind of mistake is an error at the place where it is made, told whole.
#[test]
fn what_is_wrong_is_shown_where_it_is() {
    let (mut shown, mut wrong) = (String::new(), Vec::new());
    for (what, marked) in WRONG {
        let (before, _) = marked.split_once('«').unwrap_or_else(|| panic!("{what}"));
        let ahead = format!("{GOOD}\n{before}");
        let (line, column) = (
            ahead.matches('\n').count() + 1,
            ahead.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1,
        );
        let text = format!("{GOOD}\n{}", marked.replacen('«', "", 1));
        let found = match Policy::parse(&text, "policy.toml") {
            Err(errors) => errors.diagnostics,
            Ok(policy) => policy.warnings().to_vec(),
        };
        let errors: Vec<&Diagnostic> =
            found.iter().filter(|found| found.severity == Severity::Error).collect();
        let caret = |error: &Diagnostic| {
            let told = error.to_string();
            let pointed = told.lines().find(|line| line.trim_start_matches([' ', '|']).starts_with('^'));
            let margin = error.line.to_string().len() + " | ".len();
            pointed.and_then(|line| Some(line.find('^')? + 1 - margin))
        };
        match errors.as_slice() {
            [error] if (error.line, error.column, caret(error)) == (line, column, Some(column)) => {
                shown.push_str(&format!("# {what}\n{error}\n\n"));
            }
            _ => wrong.push(format!("{what}: not once at {line}:{column}: {found:#?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_snapshot!("load", shown.trim_end());
}

/// R14, R18: what is no mistake, or not for certain, is taken, with a warning where somebody should know.
#[test]
fn what_may_be_right_is_taken() {
    let sam = "[[people]]\nid = \"sam\"\nname = \"Sam\"\nroles = [\"security\"]\nterminal = [\"sam\"]\n";
    let rule = |when: &str, more: &str| {
        and(&format!(
            "[[rule]]\nname = \"keys\"\ntools = [\"rotate_key\"]\nwhen = '{when}'\nlevel = \"high\"\nbecause = \"So.\"\nrole = \"security\"\n{more}\n{sam}"
        ))
    };
    let warned = |said: String| {
        said.contains("warning: what Sam asks for can never be approved")
            && said.ends_with("the policy is taken")
    };
    assert!(warned(rule("args.all", "")), "others may ask for it");
    assert!(warned(rule("requester.person == \"sam\" || args.all", "")), "others may ask for it");
    assert!(warned(rule("requester.person in [\"sam\", \"bo\"]", "")), "Bo may ask for it");
    assert!(warned(rule("requester.person != \"sam\"", "")), "it is about others alone");
    let own = rule("requester.person == \"sam\"", "");
    assert!(own.contains("error: rule `keys` can never be approved: only Sam can ask"), "{own}");
    assert_eq!(own.matches("Sam asks for").count(), 0, "and is told once: {own}");
    let listed = rule("requester.person in [\"sam\"]", "");
    assert!(listed.contains("error: rule `keys`"), "{listed}");
    let may = rule("requester.person == \"sam\"", "requester_may_approve = true");
    assert_eq!(may.trim(), "the policy is taken");
    let away = sam.replace(
        "terminal",
        "away = [{ from = 2026-12-21, until = 2027-01-04, stand_in = \"bo\" }]\nterminal",
    );
    let stood_in = and(&format!(
        "[[rule]]\nname = \"keys\"\ntools = [\"rotate_key\"]\nwhen = 'requester.person == \"sam\"'\nlevel = \"high\"\nbecause = \"So.\"\nrole = \"security\"\n{away}"
    ));
    assert!(warned(stood_in), "while they are away, somebody else can");
    let lifted = "[levels.high]\nrole = \"security\"\n[[rule]]\nname = \"keys\"\ntools = [\"rotate_key\"]\nwhen = 'requester.person == \"sam\"'\nlevel = \"high\"\nbecause = \"So.\"\n[[raise]]\nname = \"all\"\ntools = [\"*\"]\nby = 1\nbecause = \"So.\"\n";
    assert!(warned(and(&format!("{lifted}{sam}"))), "it is lifted to a level that asks admins");
}
