//! Headers as Slack never sends them, made from good ones: for the check itself and for the routes behind it.

/// Timestamps of a wrong form, also where they are rightly signed.
pub(crate) fn malformed_timestamps(good: &str) -> Vec<String> {
    let (first, rest) = good.split_at(1);
    let seconds: i64 = good.parse().unwrap();
    vec![
        String::new(),
        " ".into(),
        "abc".into(),
        format!("+{good}"),
        format!("-{good}"),
        format!("{good}.0"),
        format!("0{good}"),
        format!("{good} "),
        format!(" {good}"),
        format!("0x{seconds:x}"),
        format!("{good}e0"),
        format!("{good}\u{661}"),
        "\u{661}\u{665}".into(),
        format!("{first}_{rest}"),
        format!("{good},{good}"),
        "99999999999999999999".into(),
        format!("{good}000000000000000000"),
    ]
}

/// Signatures of a wrong form, whatever they sign.
pub(crate) fn malformed_signatures(good: &str) -> Vec<Vec<u8>> {
    let digits = good.strip_prefix("v0=").unwrap();
    let letter = digits.find(|digit: char| digit.is_ascii_lowercase()).unwrap();
    let (before, after) = digits.split_at(letter);
    let one_upper = format!("{before}{}{}", after[..1].to_uppercase(), &after[1..]);
    let texts = [
        String::new(),
        "v0=".into(),
        digits.into(),
        format!("v1={digits}"),
        format!("V0={digits}"),
        format!("v0:{digits}"),
        format!("v0={}", digits.to_uppercase()),
        format!("v0={one_upper}"),
        format!("v0={}", &digits[..63]),
        format!("v0={}", &digits[..62]),
        format!("v0={digits}0"),
        format!("v0={digits}00"),
        format!("v0={digits} "),
        format!(" v0={digits}"),
        format!("v0= {digits}"),
        format!("v0={}g", &digits[..63]),
        format!("v0={digits},v0={digits}"),
        format!("v0=v0={digits}"),
    ];
    let mut all: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    all.push(b"v0=\xff\xfe".to_vec());
    all
}
