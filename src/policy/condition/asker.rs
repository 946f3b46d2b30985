//! Who must ask for a condition to hold, as far as it says so itself.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use super::Condition;

/// Who must ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum AskedBy<'a> {
    /// One of these people, by their ids.
    OneOf(Vec<&'a str>),
    /// Somebody who has this role.
    With(&'a str),
}

impl Condition {
    /// What it says of who asks: each holds wherever the condition does. What it says in a roundabout way is left out.
    pub(in super::super) fn asked_by(&self) -> Vec<AskedBy<'_>> {
        let mut found = Vec::new();
        add(&self.expression, &mut found);
        found
    }
}

fn add<'a>(expression: &'a IdedExpr, found: &mut Vec<AskedBy<'a>>) {
    let Expr::Call(CallExpr { func_name, args, .. }) = &expression.expr else { return };
    let [one, other] = args.as_slice() else { return };
    match func_name.as_str() {
        operators::LOGICAL_AND => {
            add(one, found);
            add(other, found);
        }
        operators::EQUALS => {
            let sides = [(one, other), (other, one)];
            let person = sides.into_iter().find(|(name, _)| is_name(name, "requester.person"));
            found.extend(person.and_then(|(_, id)| Some(AskedBy::OneOf(vec![text(id)?]))));
        }
        operators::IN if is_name(one, "requester.person") => {
            let Expr::List(list) = &other.expr else { return };
            let ids: Option<Vec<&str>> = list.elements.iter().map(text).collect();
            found.extend(ids.map(AskedBy::OneOf));
        }
        operators::IN if is_name(other, "requester.roles") => found.extend(text(one).map(AskedBy::With)),
        _ => {}
    }
}

/// Names of more than one word are one since they were checked.
fn is_name(expression: &IdedExpr, name: &str) -> bool {
    matches!(&expression.expr, Expr::Ident(found) if found == name)
}

fn text(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
