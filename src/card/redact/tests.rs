use proptest::prelude::*;
use serde_json::json;

use super::*;

fn redacted(text: &str) -> String {
    Redactor::new().redact_text(text).text
}

fn knowing(secrets: &[&str]) -> Redactor {
    let mut redactor = Redactor::new();
    for secret in secrets {
        assert!(redactor.add_secret(secret));
    }
    redactor
}

#[test]
fn hides_one_token_under_a_telling_key() {
    let table = [
        ("password=x; rm -rf /", "password=••• (1 character); rm -rf /"),
        ("PASSWORD=hunter2 make deploy", "PASSWORD=••• (7 characters) make deploy"),
        ("export PGPASSWORD='hunter2' && psql", "export PGPASSWORD='••• (7 characters)' && psql"),
        ("mysql --password hunter2 -e 'drop'", "mysql --password ••• (7 characters) -e 'drop'"),
        ("gh --auth-token=abc123 pr", "gh --auth-token=••• (6 characters) pr"),
        ("x --api-key \"abc123\" y", "x --api-key \"••• (6 characters)\" y"),
        (r#"{"apiKey": "abc123", "to": "b"}"#, r#"{"apiKey": "••• (6 characters)", "to": "b"}"#),
        (r#"{\"client_secret\":\"abc123\"}"#, r#"{\"client_secret\":\"••• (6 characters)\"}"#),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ••• (12 characters)"),
        ("curl -H 'authorization: bearer abc' u", "curl -H 'authorization: bearer ••• (3 characters)' u"),
        ("send Bearer abcdef012345 now", "send Bearer ••• (12 characters) now"),
        ("password: p@ssw0rd!", "password: p@••• (6 characters)!"),
        ("password=x;rm${IFS}-rf", "password=••• (1 character);rm${IFS}-rf"),
        ("?token=abc&user=bo", "?token=••• (3 characters)&user=bo"),
        ("secret => abc123", "secret => ••• (6 characters)"),
        ("X-Api-Key : abc123", "X-Api-Key : ••• (6 characters)"),
        ("postgres://bo:hunter2@db/x", "postgres://bo:••• (7 characters)@db/x"),
        ("https://bo:p@ss@host:80/a", "https://bo:p@••• (2 characters)@host:80/a"),
    ];
    for (text, expected) in table {
        assert_eq!(redacted(text), expected, "{text}");
    }
}

#[test]
fn hides_what_has_the_shape_of_a_secret() {
    let random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    for prefix in [
        "plt_",
        "ghp_",
        "github_pat_",
        "xoxb-",
        "xapp-",
        "xoxp-",
        "sk-",
        "sk-proj-",
        "AIza",
        "glpat-",
        "npm_",
    ] {
        let text = format!("see ({prefix}{random}).");
        assert_eq!(redacted(&text), format!("see ({}).", mask(prefix.len() + random.len())), "{prefix}");
    }
    assert_eq!(redacted("AKIAIOSFODNN7EXAMPLE, x"), "••• (20 characters), x");
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF-_123";
    assert_eq!(redacted(&format!("cookie {jwt}.")), format!("cookie {}.", mask(jwt.len())));
}

#[test]
fn hides_the_lines_of_a_private_key_and_nothing_between() {
    let line = "MIIEowIBAAKCAQEA7bq4p9yqs0mUq1Kc+/a2Rk9xYz012345678901234567890123";
    let text = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\nrm -rf /\nrm\n{line}\nAB==\n-----END RSA PRIVATE KEY-----\nok"
    );
    let hidden = mask(line.len());
    let expected = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{hidden}\nrm -rf /\nrm\n{hidden}\n{}\n-----END RSA PRIVATE KEY-----\nok",
        mask(4)
    );
    assert_eq!(redacted(&text), expected);
    let written = format!("\"-----BEGIN PRIVATE KEY-----\\n{line}\\nAB==\\n-----END PRIVATE KEY-----\\n\"");
    let out = redacted(&written);
    assert!(!out.contains("MIIE") && !out.contains("AB=="), "{out}");
    let patch = format!("------BEGIN PRIVATE KEY-----\n-{line}\n-AB==\n------END PRIVATE KEY-----");
    let out = redacted(&patch);
    assert!(!out.contains("MIIE") && !out.contains("AB=="), "{out}");
    let public = format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----");
    assert_eq!(redacted(&public), public);
}

#[test]
fn shows_what_only_resembles_a_secret() {
    let texts = [
        "token_count: 5, max_tokens=100, author: Ana, keyboard=us, public_key: abc",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc2",
        "next_page_token=abc pageToken: x token_type=bearer",
        "task-management-system-for-everyone risk-0123456789012345678901",
        "std::token::next token == other; fn password() {}",
        "TOKEN=$TOKEN password=${DB_PASSWORD} token: None secret = get_secret()",
        "a bearer of good news; the bearer token",
        "https://example.com:8080/@user mailto:a@b.c user@host:path",
        "passwords and secrets, tokens: 3",
        "--password --verbose",
        "eyJust a word, sk-loading-container-of-everything, AKIA",
    ];
    for text in texts {
        assert_eq!(Redactor::new().redact_text(text), Redacted { text: text.to_owned(), hidden: 0 });
    }
}

#[test]
fn knows_telling_keys_in_any_case() {
    for key in [
        "password",
        "PASSWORD",
        "db_password",
        "dbPassword",
        "DBPassword",
        "PGPASSWORD",
        "X-Api-Key",
        "apikey",
        "apiKey",
        "APIKey",
        "client_secret",
        "private.key",
        "AWS_SECRET_ACCESS_KEY",
        "accessToken",
        "refresh_token",
        "token",
        "password2",
        "new_password",
        "password_confirmation",
        "secret_value",
        "Authorization",
        "passwd",
        "GITHUB_TOKEN",
    ] {
        assert!(is_sensitive_key(key), "{key}");
    }
    for key in [
        "token_count",
        "max_tokens",
        "tokens",
        "author",
        "keyboard",
        "key",
        "public_key",
        "secretary",
        "tokenizer",
        "password_policy",
        "secret_name",
        "token_url",
        "nextPageToken",
        "",
        "monkey",
        "authorized",
    ] {
        assert!(!is_sensitive_key(key), "{key}");
    }
}

#[test]
fn values_know_the_names_of_keys() {
    let value = json!({
        "user": "bo",
        "password": "hunter2",
        "nested": {"apiKey": ["one-1", "two-2"], "token": 5, "secret": true, "token_count": "12"},
        "authorization": "Bearer abc",
        "secret": "x; rm -rf /",
        "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "PATH", "value": "/bin"}],
        "argv": ["login", "--token", "abc", "--verbose"],
        "command": "deploy --password hunter2 --now",
        "tokens": {"password": {"value": "kept"}},
    });
    let expected = json!({
        "user": "bo",
        "password": "••• (7 characters)",
        "nested": {"apiKey": ["••• (5 characters)", "••• (5 characters)"], "token": 5, "secret": true, "token_count": "12"},
        "authorization": "Bearer ••• (3 characters)",
        "secret": "••• (1 character); rm -rf /",
        "env": [{"name": "DB_PASSWORD", "value": "••• (7 characters)"}, {"name": "PATH", "value": "/bin"}],
        "argv": ["login", "--token", "••• (3 characters)", "--verbose"],
        "command": "deploy --password ••• (7 characters) --now",
        "tokens": {"password": {"value": "kept"}},
    });
    assert_eq!(Redactor::new().redact_value(&value), (expected, 8));
}

#[test]
fn known_secrets_are_hidden_in_every_form() {
    let secret = "s3cr/t \"v\u{e4}lue\"\\x?";
    let redactor = knowing(&[secret]);
    let inner =
        |text: &str| serde_json::to_string(text).unwrap().split_at(1).1.strip_suffix('"').unwrap().to_owned();
    let base64 = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let url64 = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE, text);
    for form in [
        secret.to_owned(),
        hex::encode(secret),
        hex::encode_upper(secret),
        "s3cr%2Ft%20%22v%C3%A4lue%22%5Cx%3F".to_owned(),
        "s3cr%2ft%20%22v%c3%a4lue%22%5cx%3f".to_owned(),
        "s3cr%2Ft+%22v%C3%A4lue%22%5Cx%3F".to_owned(),
        "s3cr\u{200b}/t \"v\u{e4}lu\u{202e}e\"\\x?".to_owned(),
    ] {
        let out = redactor.redact_text(&format!("a {form} b"));
        assert_eq!(out, Redacted { text: format!("a {} b", mask(form.chars().count())), hidden: 1 });
    }
    for form in [inner(secret), inner(&inner(secret))] {
        assert_eq!(
            redactor.redact_text(&format!("a {form} b")).text,
            format!("a {} b", mask(form.chars().count()))
        );
    }
    for before in ["", "u", "us", "user:"] {
        for encoded in [base64(&format!("{before}{secret}!")), url64(&format!("{before}{secret}!"))] {
            let out = redactor.redact_text(&format!("x={encoded}"));
            assert_eq!(out.hidden, 1, "{encoded}");
            assert!(out.text.chars().count() < 40, "{}", out.text);
        }
    }
    assert_eq!(format!("{redactor:?}").find("s3cr"), None);
}

#[test]
fn known_secrets_of_several_lines_are_hidden_line_by_line() {
    let redactor = knowing(&["first line of the secret\nsecond line of the secret\n"]);
    assert_eq!(redactor.redact_text("+ second line of the secret").text, "+ ••• (25 characters)");
}

#[test]
fn short_values_are_no_secrets() {
    let mut redactor = Redactor::new();
    assert!(!redactor.add_secret(" 12345 \n"));
    assert!(!redactor.add_secret("1\u{200b}2\u{200b}345"));
    assert!(redactor.add_secret("123456"));
    let (value, hidden) =
        redactor.redact_value(&json!({"n": 1234567, "123456": 1, "a123456": 2, "m": 12345}));
    assert_eq!(
        value,
        json!({"n": "••• (6 characters)7", "••• (6 characters)": 1, "a••• (6 characters)": 2, "m": 12345})
    );
    assert_eq!(hidden, 3);
    let (value, _) = redactor.redact_value(&json!({"123456": 1, "12345\u{200b}6": 2}));
    assert_eq!(value.as_object().unwrap().len(), 2);
}

#[test]
fn long_values_are_hidden_to_their_end() {
    let long = "x1".repeat(5_000);
    assert_eq!(redacted(&format!("token={long};{long}")), format!("token=••• (10000 characters);{long}"));
    assert_eq!(redacted(&format!("token=a@{long}")), "token=a@••• (10000 characters)");
}

#[test]
fn hidden_text_stays_hidden_the_second_time() {
    let once = redacted("password=hunter2 Bearer abcdef012345");
    assert_eq!(redacted(&once), once);
}

fn any_secret() -> impl Strategy<Value = String> {
    // Not a part of what the mask itself says.
    "[ -~äЖ字]{6,24}".prop_filter("a value of its own", |secret| {
        let secret = secret.trim();
        secret.chars().count() >= 6 && !" (123 characters)".contains(secret)
    })
}

proptest! {
    #[test]
    fn a_known_secret_never_comes_out(
        secret in any_secret(),
        before in "[ -~\n]{0,30}",
        after in "[ -~\n]{0,30}",
        invisible in prop::sample::select(vec!["", "\u{200b}", "\u{202e}", "\u{e0041}", "\u{301}"]),
        split in 1_usize..6,
    ) {
        let redactor = knowing(&[&secret]);
        let secret = secret.trim();
        let at = secret.char_indices().nth(split).map_or(0, |(at, _)| at);
        let text = format!("{before}{}{invisible}{}{after}", &secret[..at], &secret[at..]);
        let out = redactor.redact_text(&text);
        prop_assert!(!out.text.contains(secret), "{}", out.text);
        prop_assert!(!out.text.replace(invisible, "").contains(secret) || invisible.is_empty());
        let (value, hidden) = redactor.redact_value(&json!({"a": [text.clone()], text.clone(): {"b": text}}));
        let inner = serde_json::to_string(secret).unwrap();
        prop_assert!(!value.to_string().contains(inner.trim_matches('"')), "{}", value);
        prop_assert!(hidden >= 3);
    }

    /// What is not of a token comes out in order, and what comes out that was not put in is a mask.
    #[test]
    fn what_is_not_a_token_is_shown(text in "(password|token|--secret|Bearer|https://a:|[ -~\n]){0,12}") {
        let out = redacted(&text);
        let others = |text: &str| text.chars().filter(|c| !c.is_ascii() || !super::is_token(*c as u8)).collect::<String>();
        let mut shown = out.clone();
        while let Some(start) = shown.find("••• (") {
            let end = start + shown[start..].find(')').unwrap() + 1;
            shown.replace_range(start..end, "");
        }
        prop_assert_eq!(others(&shown), others(&text));
    }

    #[test]
    fn any_text_is_redacted(text in any::<String>(), secret in any::<String>()) {
        let mut redactor = Redactor::new();
        redactor.add_secret(&secret);
        let _ = redactor.redact_text(&text);
    }
}

/// R28: wherever a text is cut while it is spoken, what may be told of it holds no half of a secret, and all is told in
/// the end.
#[test]
fn what_is_told_of_a_text_ends_before_a_secret() {
    let redactor = knowing(&["correct horse battery staple", "hunter2-of-bo"]);
    let texts = [
        "use xoxb-1234567890-abcdef now",
        "the word is correct horse battery staple, Bo",
        "it is hunt\u{200b}er2-of-bo.",
        "password = tr0ub4dor and more",
        "go to https://bo:tr0ub4dor@db.example/x now",
        "密码是xoxb-1234567890-abcdef，请用",
    ];
    let secrets = ["1234567890", "battery", "hunt", "tr0ub", "correct horse"];
    for text in texts {
        let whole = redactor.redact_text(text).text;
        for (at, _) in text.char_indices() {
            let heard = &text[..at];
            let told = &heard[..redactor.settled(heard)];
            let shown = redactor.redact_text(told).text;
            assert!(whole.starts_with(&shown), "{told:?} of {heard:?} shows {shown:?}, and then {whole:?}");
            assert!(!secrets.iter().any(|secret| shown.contains(secret)), "{shown:?}");
        }
    }
    assert_eq!(redactor.settled("密码是这样的"), "密码是这样的".len());
    assert_eq!(redactor.settled("a word "), "a word ".len());
}
