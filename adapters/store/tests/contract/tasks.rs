//! Tasks that were given in a chat.

use placet::agent::task::{Task, TaskLease, TaskRow, Thread};
use placet::id::{DeliveryKey, SurfaceName, WorkerId};
use placet::ports::StoreError;
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

pub(crate) fn slack() -> SurfaceName {
    SurfaceName::new("slack").unwrap()
}

pub(crate) fn task(desk: &Desk, delivery: &str) -> Task {
    Task {
        delivery: DeliveryKey::new(delivery).unwrap(),
        at: desk.now(),
        tenant: acme(),
        by: account("alice"),
        thread: Thread { surface: slack(), channel: "C-ops".to_owned(), id: "1.2".to_owned() },
        text: "clean up".to_owned(),
    }
}

/// That this worker holds a task, for a minute from now.
pub(crate) fn leased_to(desk: &Desk, worker: u8) -> TaskLease {
    TaskLease { by: WorkerId::from_bytes([worker; 16]), until: desk.now() + Ttl::from_secs(60) }
}

async fn adopts(desk: &Desk, worker: u8) -> Vec<TaskRow> {
    desk.store.adopt_tasks(&slack(), leased_to(desk, worker), 9).await.unwrap()
}

async fn open(desk: &Desk) -> Vec<TaskRow> {
    desk.store.open_tasks(&slack(), 9).await.unwrap()
}

contract! {
    /// R13: the same task delivered again is none, while it is worked on and after it was answered; days later it is
    /// forgotten.
    a_task_is_taken_once(desk) {
        let mut row = desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap().unwrap();
        assert_eq!(desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap(), None);
        assert_eq!(open(&desk).await, [row.clone()]);
        row.state.done = true;
        desk.store.save_task(row.clone()).await.unwrap();
        assert_eq!(open(&desk).await, []);
        desk.setting.clock.passes(Ttl::from_mins(2 * 24 * 60));
        assert_eq!(desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap(), None);
        desk.setting.clock.passes(Ttl::from_mins(2 * 24 * 60));
        assert!(desk.store.take_task(task(&desk, "slack:2"), leased_to(&desk, 1)).await.unwrap().is_some());
        assert!(desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap().is_some());
    }

    /// R13: how far a task is, is saved by one at a time; another surface's are not given.
    a_task_is_saved_by_one_at_a_time(desk) {
        let row = desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap().unwrap();
        let mut moved = row.clone();
        moved.state.posting = true;
        desk.store.save_task(moved.clone()).await.unwrap();
        assert_eq!(desk.store.save_task(row).await, Err(StoreError::RunMoved));
        moved.version += 1;
        assert_eq!(open(&desk).await, [moved]);
        let other = SurfaceName::new("slack-other").unwrap();
        assert_eq!(desk.store.open_tasks(&other, 9).await.unwrap(), []);
    }

    /// R11, R13: of several processes one works on a task: while it says that it does, nobody else is given it; once it does
    /// not, another takes it up, once, and the first saves it no more. What it lets go of is another's at once.
    a_task_is_in_one_process_hands(desk) {
        let (one, two) = (task(&desk, "slack:1"), task(&desk, "slack:2"));
        let first = desk.store.take_task(one.clone(), leased_to(&desk, 1)).await.unwrap().unwrap();
        desk.setting.clock.passes(Ttl::from_secs(59));
        assert_eq!(adopts(&desk, 2).await, []);
        desk.store.renew_tasks(vec![one.delivery.clone()], leased_to(&desk, 1)).await.unwrap();
        desk.store.take_task(two.clone(), leased_to(&desk, 1)).await.unwrap().unwrap();
        desk.setting.clock.passes(Ttl::from_secs(59));
        assert_eq!(adopts(&desk, 2).await, []);
        desk.setting.clock.passes(Ttl::from_secs(1));
        let adopted = adopts(&desk, 2).await;
        let keys: Vec<_> = adopted.iter().map(|row| row.state.task.delivery.clone()).collect();
        assert_eq!(keys, [one.delivery.clone(), two.delivery.clone()], "in their order");
        assert_eq!((adopts(&desk, 1).await, adopts(&desk, 3).await), (vec![], vec![]));
        assert_eq!(desk.store.save_task(first).await, Err(StoreError::RunMoved));
        let mut saved = adopted[0].clone();
        saved.state.done = true;
        desk.store.save_task(saved).await.unwrap();
        // Who had it before holds it no more by saying so.
        desk.store.renew_tasks(vec![two.delivery.clone()], leased_to(&desk, 1)).await.unwrap();
        desk.store.let_go_of_tasks(WorkerId::from_bytes([1; 16])).await.unwrap();
        assert_eq!(adopts(&desk, 3).await, []);
        desk.store.let_go_of_tasks(WorkerId::from_bytes([2; 16])).await.unwrap();
        let adopted = adopts(&desk, 3).await;
        let keys: Vec<_> = adopted.iter().map(|row| row.state.task.delivery.clone()).collect();
        assert_eq!(keys, std::slice::from_ref(&two.delivery), "what is answered is nobody's to take up");
        let loaded = async |task: &Task| desk.store.load_task(&task.delivery).await.unwrap();
        assert!(loaded(&one).await.unwrap().state.done && !loaded(&two).await.unwrap().state.done);
        assert_eq!(loaded(&task(&desk, "slack:3")).await, None);
    }

    /// R13: what comes first is what was kept first, whatever its time and its name say: it is the same for every process.
    tasks_stand_in_the_order_in_which_they_were_kept(desk) {
        let mut late = task(&desk, "slack:b");
        late.at = late.at + Ttl::from_secs(5);
        desk.store.take_task(late.clone(), leased_to(&desk, 1)).await.unwrap().unwrap();
        let early = task(&desk, "slack:a");
        desk.store.take_task(early.clone(), leased_to(&desk, 2)).await.unwrap().unwrap();
        let keys: Vec<_> = open(&desk).await.into_iter().map(|row| row.state.task.delivery).collect();
        assert_eq!(keys, [late.delivery, early.delivery]);
    }

    /// R11: what a dead process held is anybody's at a start that surely is the only one.
    a_lone_start_holds_nothing_back(desk) {
        desk.store.take_task(task(&desk, "slack:1"), leased_to(&desk, 1)).await.unwrap().unwrap();
        assert_eq!(adopts(&desk, 2).await, []);
        desk.store.take_over().await.unwrap();
        assert_eq!(adopts(&desk, 2).await.len(), 1);
    }
}
