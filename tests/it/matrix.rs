//! Matrix: people decide in rooms of a real homeserver, as clients see it that others wrote. They need one:
//! `tests/homeserver/run cargo nextest run -p placet-tests matrix::`.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet::time::Ttl;
use placet_tests::homeserver::{Account, Client, Content, Homeserver, Person, RoomMade, Wanted};
use placet_tests::matrix::Decider;
use placet_tests::{Call, Desk, conversation};
use serde_json::json;

const YES: &str = "✅";
const NO: &str = "❌";

/// A room with Placet and Mia in it.
struct Room {
    bot: Account,
    mia: Person,
    id: String,
}

impl Room {
    async fn meet(desk: &Desk, room: RoomMade) -> Result<Self> {
        let homeserver = Homeserver::shared()?;
        let [bot, account] = [homeserver.registers("placet").await?, homeserver.registers("mia").await?];
        let mia = Person::signs_in(Client::Nio, &account).await?;
        let id = account.makes(&room.inviting(bot.user())).await?;
        mia.joins(&id).await?;
        let people = [Decider { id: "mia", account: account.user() }];
        desk.has_matrix((&homeserver, &bot), &id, (&people, "")).await?;
        desk.is_in_room(&id, &account).await?;
        Ok(Self { bot, mia, id })
    }

    /// The card of a call, once Mia sees that it can be decided by a reaction.
    async fn card(&self, words: &str) -> Result<String> {
        let card = self.mia.sees(&self.id, &Wanted::message_of(self.bot.user()).saying(words)).await?;
        let pressed =
            Wanted::event(&card.event_id).reacted(self.bot.user(), YES).reacted(self.bot.user(), NO);
        self.mia.sees(&self.id, &pressed).await?;
        Ok(card.event_id)
    }

    async fn sees_edit(&self, card: &str, words: &str) -> Result<()> {
        let seen = self.mia.sees(&self.id, &Wanted::event(card).edited().saying(words)).await?;
        ensure!(seen.text().contains(words), "{}", seen.text());
        Ok(())
    }
}

async fn renames(desk: &Desk) -> Result<Call> {
    let call = desk.agent().proposes("rename_file", json!({"from": "a.txt", "to": "b.txt"})).await?;
    desk.work_until_idle().await?;
    Ok(call)
}

/// R29, R31: a reaction decides, and the card says so to the other client.
#[conversation]
async fn a_reaction_approves(desk: &mut Desk) -> Result<()> {
    let room = Room::meet(desk, RoomMade::named("ops")).await?;
    let call = renames(desk).await?;
    let card = room.card("a.txt").await?;
    room.mia.reacts(&room.id, &card, YES).await?;
    desk.hears_in_matrix(&call, Status::Approved).await?;
    room.sees_edit(&card, "pproved").await?;
    let yes = format!("yes matrix:example.org/{}", room.mia.user());
    desk.reads(&call.id, &format!("proposed; checked approve; asked; {yes}; approved mia")).await
}

/// R31, R33: a reply by words denies, with its reason on the card; who asks what waits is answered directly.
#[conversation]
async fn a_reply_denies_with_a_reason(desk: &mut Desk) -> Result<()> {
    let room = Room::meet(desk, RoomMade::named("ops")).await?;
    let call = renames(desk).await?;
    let card = room.card("a.txt").await?;
    let no = Content::text("!placet deny somebody still reads it").replying_to(&card);
    room.mia.sends(&room.id, &no).await?;
    desk.hears_in_matrix(&call, Status::Rejected).await?;
    room.sees_edit(&card, "somebody still reads it").await
}

/// R31: the same in an encrypted room; a no ends it.
#[conversation]
async fn a_reaction_denies_in_an_encrypted_room(desk: &mut Desk) -> Result<()> {
    let room = Room::meet(desk, RoomMade::named("ops").encrypted()).await?;
    let call = renames(desk).await?;
    let card = room.card("a.txt").await?;
    room.mia.reacts(&room.id, &card, NO).await?;
    desk.hears_in_matrix(&call, Status::Rejected).await?;
    room.sees_edit(&card, "enied").await
}

/// R31: a reaction that is taken away before the decision takes the vote with it, also across a restart; one that is put
/// there while nobody listens counts once somebody does.
#[conversation]
async fn a_reaction_is_taken_away_across_a_restart(desk: &mut Desk) -> Result<()> {
    let room = Room::meet(desk, RoomMade::named("ops")).await?;
    desk.has_policy(|policy| {
        policy.replace(
            "tier = \"approve\"\nrole = \"admin\"\nbecause = \"Others",
            "tier = \"approve\"\nrole = \"admin\"\ncount = 2\nbecause = \"Others",
        )
    })
    .await?;
    desk.listens_to_matrix(Ttl::ZERO).await?;
    let call = renames(desk).await?;
    let card = room.card("a.txt").await?;
    let reaction = room.mia.reacts(&room.id, &card, YES).await?;
    desk.hears_votes_in_matrix(&call, 1).await?;
    desk.stop().await?;
    room.mia.redacts(&room.id, &reaction).await?;
    desk.start().await?;
    // What was taken away while nobody listened counts no more.
    desk.hears_votes_in_matrix(&call, 0).await?;
    room.mia.reacts(&room.id, &card, NO).await?;
    desk.hears_in_matrix(&call, Status::Rejected).await
}
