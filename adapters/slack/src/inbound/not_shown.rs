//! What Slack did not show: a dialog, or the answer to a command. The person is told by kind what to do about it, and what no
//! second try mends is told to the operators.

use placet::id::RequestId;
use placet::inbound::ReplyTo;
use placet::text::Trouble;

use super::Desk;
use crate::api::ApiError;

/// What this is for the person; and whether operators must look.
pub(super) const fn trouble_of(fault: &ApiError) -> (Trouble, bool) {
    match fault {
        ApiError::TriggerExpired { .. } => (Trouble::DialogExpired, false),
        ApiError::RateLimited { .. } | ApiError::Unavailable | ApiError::Unreached(_) | ApiError::Unknown => {
            (Trouble::DialogLater, false)
        }
        // They closed it, or it shows something else by now.
        ApiError::Gone { .. } => (Trouble::DialogOver, false),
        ApiError::NoPlace { .. }
        | ApiError::TooLarge { .. }
        | ApiError::Auth { .. }
        | ApiError::Other { .. } => (Trouble::DialogRefused, true),
    }
}

impl Desk {
    /// Slack did not open or change a dialog: the person is told, unless it was they who closed it.
    pub(super) async fn not_opened(&self, fault: Option<ApiError>, (reply, request): (&ReplyTo, RequestId)) {
        let Some(fault) = fault else { return };
        if matches!(fault, ApiError::Gone { .. }) {
            // They closed it before, and want nothing of it.
            return tracing::debug!(approval.id = %request, "a dialog was closed before it showed what it was opened for");
        }
        tracing::warn!(approval.id = %request, error = %fault, "Slack did not open a dialog");
        let (trouble, is_final) = trouble_of(&fault);
        if is_final {
            self.alarm("dialog", (reply, Some(request)), &fault).await;
        }
        self.whisper(reply, trouble).await;
    }

    /// Operators are told what somebody was not shown.
    pub(super) async fn alarm(
        &self,
        what: &'static str,
        (reply, request): (&ReplyTo, Option<RequestId>),
        fault: &ApiError,
    ) {
        let why = match fault {
            ApiError::TooLarge { details, .. } if !details.is_empty() => {
                format!("{fault}: {}", details.join("; "))
            }
            fault => fault.to_string(),
        };
        let tenant = &self.slack.settings().tenant;
        let lost = self.gate.not_shown(tenant, request, (what, &reply.identity, why)).await;
        if let Err(fault) = lost {
            tracing::error!(error = %fault, "what somebody was not shown could not be put on record");
        }
    }
}
