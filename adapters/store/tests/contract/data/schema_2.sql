-- A database with rows in every table, written by the tests. Never changed once released.
PRAGMA foreign_keys = OFF;
CREATE TABLE schema_migration (
  number     INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
  name       TEXT    NOT NULL,
  sha256     BLOB    NOT NULL CHECK (length(sha256) = 32),
  applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE meta (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE log_head (
  id  INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL CHECK (seq >= 0)
) STRICT;
CREATE TABLE event (
  seq         INTEGER NOT NULL PRIMARY KEY CHECK (seq >= 1),
  tenant_id   TEXT    NOT NULL CHECK (tenant_id <> ''),
  approval_id BLOB             CHECK (length(approval_id) = 16),
  at          INTEGER NOT NULL,
  type        TEXT    NOT NULL CHECK (type <> ''),
  leaf        BLOB    NOT NULL CHECK (length(leaf) > 0),
  texts       TEXT    NOT NULL CHECK (texts <> '')
) STRICT;
CREATE INDEX event_of_request ON event (approval_id, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX event_of_tenant ON event (tenant_id, seq, type);
CREATE TABLE idempotency (
  tenant_id       TEXT NOT NULL,
  credential_id   TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  approval_id     BLOB NOT NULL REFERENCES approval_request (approval_id),
  digest          BLOB NOT NULL CHECK (length(digest) = 32),
  proposal_hash   BLOB NOT NULL CHECK (length(proposal_hash) = 32),
  PRIMARY KEY (tenant_id, credential_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE command (
  command_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(command_id) = 16),
  tenant_id   TEXT    NOT NULL,
  approval_id BLOB    NOT NULL REFERENCES approval_request (approval_id),
  at          INTEGER NOT NULL,
  result      TEXT    NOT NULL CHECK (result <> ''),
  version     INTEGER NOT NULL CHECK (version >= 1)
) STRICT;
CREATE INDEX command_age ON command (at);
CREATE TABLE inbox (
  delivery_key TEXT    NOT NULL PRIMARY KEY,
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  received_at  INTEGER NOT NULL,
  done_at      INTEGER,
  body         TEXT    NOT NULL CHECK (body <> '')
, set_aside_why TEXT 
  CHECK (set_aside_why IS NULL OR (set_aside_why <> '' AND done_at IS NOT NULL))) STRICT;
CREATE INDEX inbox_undone ON inbox (received_at, delivery_key) WHERE done_at IS NULL;
CREATE INDEX inbox_done ON inbox (done_at) WHERE done_at IS NOT NULL;
CREATE TABLE card (
  approval_id BLOB    NOT NULL REFERENCES approval_request (approval_id),
  surface     TEXT    NOT NULL CHECK (surface <> ''),
  channel     TEXT    NOT NULL,
  thread      TEXT    NOT NULL,
  tenant_id   TEXT    NOT NULL CHECK (tenant_id <> ''),
  wanted      INTEGER NOT NULL CHECK (wanted >= 0),
  due_at      INTEGER,
  body        TEXT    NOT NULL CHECK (body <> ''),
  PRIMARY KEY (approval_id, surface, channel, thread)
) STRICT;
CREATE INDEX card_due ON card (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE card_message (
  tenant_id   TEXT NOT NULL,
  channel     TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  surface     TEXT NOT NULL,
  approval_id BLOB NOT NULL REFERENCES approval_request (approval_id),
  PRIMARY KEY (tenant_id, channel, message_id, surface)
) STRICT, WITHOUT ROWID;
CREATE TABLE outbox (
  message_number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  tenant_id      TEXT    NOT NULL CHECK (tenant_id <> ''),
  since          INTEGER NOT NULL,
  tries          INTEGER NOT NULL CHECK (tries >= 0),
  due_at         INTEGER,
  dropped_at     INTEGER,
  dropped_why    TEXT,
  body           TEXT    NOT NULL CHECK (body <> ''),
  CHECK ((due_at IS NULL) = (dropped_at IS NOT NULL)),
  CHECK ((dropped_at IS NULL) = (dropped_why IS NULL))
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE credential (
  tenant_id     TEXT    NOT NULL CHECK (tenant_id <> ''),
  credential_id TEXT    NOT NULL CHECK (credential_id <> ''),
  secret_hash   BLOB    NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  created_at    INTEGER NOT NULL,
  revoked_at    INTEGER,
  body          TEXT    NOT NULL CHECK (body <> ''),
  PRIMARY KEY (tenant_id, credential_id)
) STRICT;
CREATE UNIQUE INDEX credential_name ON credential (credential_id);
CREATE TABLE agent_run (
  tenant_id  TEXT    NOT NULL CHECK (tenant_id <> ''),
  run_id     TEXT    NOT NULL CHECK (run_id <> ''),
  session_id TEXT    NOT NULL CHECK (session_id <> ''),
  started_at INTEGER NOT NULL,
  finished   INTEGER NOT NULL CHECK (finished IN (0, 1)),
  version    INTEGER NOT NULL CHECK (version >= 1),
  body       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
) STRICT;
CREATE INDEX agent_run_of_session ON agent_run (tenant_id, session_id, started_at);
CREATE INDEX agent_run_unfinished ON agent_run (started_at) WHERE finished = 0;
CREATE TABLE session_event (
  tenant_id  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  number     INTEGER NOT NULL CHECK (number >= 1),
  json       TEXT    NOT NULL CHECK (json <> ''),
  PRIMARY KEY (tenant_id, session_id, number)
) STRICT;
CREATE TABLE "approval_request" (
  approval_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(approval_id) = 16),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  code         TEXT    NOT NULL CHECK (length(code) = 7),
  status       TEXT    NOT NULL CHECK (status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved',
                                                  'rejected', 'executing', 'executed', 'expired', 'revoked')),
  agent_id     TEXT    NOT NULL CHECK (agent_id <> ''),
  tool_name    TEXT    NOT NULL CHECK (tool_name <> ''),
  -- With the server's name.
  full_name    TEXT    NOT NULL CHECK (full_name <> ''),
  risk_level   TEXT             CHECK (risk_level IN ('low', 'medium', 'high', 'critical')),
  run_id       TEXT,
  step_id      TEXT,
  requested_by TEXT    NOT NULL CHECK (requested_by <> ''),
  digest       BLOB    NOT NULL CHECK (length(digest) = 32),
  args_hash    BLOB    NOT NULL CHECK (length(args_hash) = 32),
  opened_at    INTEGER NOT NULL,
  due_at       INTEGER,
  -- The alarms that stand, a bit each, and since when nothing is open about the request any more.
  alarms       INTEGER          CHECK (alarms > 0),
  over_at      INTEGER,
  -- Whether people were ever asked on a card of its own: what came of it does not take that back.
  asked        INTEGER NOT NULL CHECK (asked IN (0, 1)),
  rejected_by  TEXT             CHECK (rejected_by IN ('policy', 'no_approver', 'votes', 'earlier')),
  version      INTEGER NOT NULL CHECK (version >= 1),
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (over_at IS NULL OR due_at IS NULL),
  CHECK ((run_id IS NULL) = (step_id IS NULL)),
  -- Exactly the states in which time does something have a time at which it does.
  CHECK ((status IN ('waiting_approval', 'approved', 'executing')) = (due_at IS NOT NULL)),
  CHECK ((status = 'rejected') = (rejected_by IS NOT NULL)),
  -- Whatever was decided was graded first, and so was what people were asked about.
  CHECK (risk_level IS NOT NULL OR status IN ('proposed', 'policy_checking', 'revoked')),
  CHECK (risk_level IS NOT NULL OR asked = 0)
) STRICT;
CREATE UNIQUE INDEX approval_request_open_code ON approval_request (code)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_open ON approval_request (tenant_id, approval_id)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_due ON approval_request (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX approval_request_alarms ON approval_request (over_at, alarms) WHERE alarms IS NOT NULL;
CREATE INDEX approval_request_of_tenant ON approval_request (tenant_id, approval_id, status, code);
CREATE INDEX approval_request_digest ON approval_request (digest, approval_id);
CREATE INDEX approval_request_of_agent ON approval_request (tenant_id, agent_id, full_name, approval_id);
CREATE INDEX approval_request_asked ON approval_request (tenant_id, agent_id, approval_id) WHERE asked = 1;
CREATE INDEX approval_request_denied ON approval_request (digest, approval_id) WHERE rejected_by = 'votes';
CREATE INDEX approval_request_of_run ON approval_request (run_id, tenant_id, approval_id, agent_id, asked)
  WHERE run_id IS NOT NULL;
CREATE TABLE hold (
  hold_id   BLOB    NOT NULL PRIMARY KEY CHECK (length(hold_id) = 16),
  tenant_id TEXT    NOT NULL,
  scope     TEXT    NOT NULL CHECK (scope IN ('all', 'agent', 'tool', 'run')),
  agent_id  TEXT    NOT NULL,
  tool_name TEXT    NOT NULL,
  run_id    TEXT    NOT NULL,
  since     INTEGER NOT NULL,
  lifted_at INTEGER,
  body      TEXT    NOT NULL CHECK (body <> ''),
  CHECK ((scope IN ('agent', 'run')) = (agent_id <> '')),
  CHECK ((scope = 'tool') = (tool_name <> '')),
  CHECK ((scope = 'run') = (run_id <> ''))
) STRICT;
CREATE UNIQUE INDEX hold_standing ON hold (tenant_id, agent_id, tool_name, run_id) WHERE lifted_at IS NULL;
CREATE TABLE remembered (
  approval_id  BLOB    NOT NULL PRIMARY KEY REFERENCES approval_request (approval_id),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  agent_id     TEXT    NOT NULL CHECK (agent_id <> ''),
  session_id   TEXT    NOT NULL CHECK (session_id <> ''),
  since        INTEGER NOT NULL,
  until        INTEGER NOT NULL,
  forgotten_at INTEGER,
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (since <= until)
) STRICT;
CREATE INDEX remembered_of_session ON remembered (tenant_id, agent_id, session_id, approval_id);
CREATE INDEX remembered_of_tenant ON remembered (tenant_id, approval_id);
INSERT INTO schema_migration VALUES (1, 'foundation', X'971E3116106C5AD9F9450F8840AB1B6F93D423F51C490DEB371B7B62FFC366F0', 1780000000000);
INSERT INTO schema_migration VALUES (2, 'policy_and_people', X'D6CD0941004A3762CFB5A0594A167245CBD0FD48C26CBB7040D0913FA3C705C1', 1780000000000);
INSERT INTO meta VALUES ('epoch', 'bb43d723345365283a299b2ed359012b');
INSERT INTO log_head VALUES (1, 22);
INSERT INTO event VALUES (1, 'acme', NULL, 1780000000000, 'credential.created', X'7B226174223A313738303030303030303030302C2263726564656E7469616C223A226167656E742D6B6579222C2272657175657374223A6E756C6C2C2273636F706573223A5B2270726F706F7365222C226175646974225D2C2274656E616E74223A2261636D65222C2274797065223A2263726564656E7469616C2E63726561746564222C2276223A317D', '{}');
INSERT INTO event VALUES (2, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'tool.proposed', X'7B22617267735F68617368223A7B22736861323536223A2235613431326465623434393462386337373433366530376533346564613162626135376461633561376666646234623862373064616161653131363430356265227D2C226174223A313738303030303030303030302C22636F6465223A22565256432D4457222C22646967657374223A2236653566363363303537316635626637363139356465323263363337356432313166393466633431643636376435343064393561316338356535363332373062222C2270726F706F73616C223A7B22736861323536223A2237613835643662326233393834336265383532386538666437613064396534613164303865643035663439633164613633306262373062303334346638353830227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22746F6F6C2E70726F706F736564222C2276223A317D', '{"args_hash":{"salt":"b6b70bba88db37125f1cec9926fe99cfa34dff5b9bb8f53d9f6343157e0a6f41","value":"\"d03d17756781d57ccaf06b76abe9c34e871dae8770de3b0f3f37754abe61af80\""},"proposal":{"salt":"630f6bd9cda80f5c4a854d5d7725487edcd56efd68b8d074afc54233bf9196bc","value":"{\"ask_again\":false,\"call\":{\"agent\":\"cleaner\",\"args\":\"{\\\"app\\\":\\\"api\\\",\\\"tag\\\":\\\"v42\\\"}\",\"preconditions\":{},\"server\":null,\"tool\":\"deploy\",\"tool_schema_hash\":null},\"evidence\":[],\"follows\":null,\"if_denied\":null,\"place\":null,\"preview\":null,\"prompt_version\":null,\"reason\":\"because it is ready\",\"requester\":{\"credential\":\"agent-key\",\"identities\":[\"slack:T1/requester\"],\"shown_as\":\"the cleaner\"},\"run\":{\"run\":\"run-1\",\"step\":\"step-1\"},\"session\":null,\"task\":\"release\",\"timeout\":null}"}}');
INSERT INTO event VALUES (3, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'policy.checking', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B696E67222C2276223A317D', '{}');
INSERT INTO event VALUES (4, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'policy.checked', X'7B226174223A313738303030303030303030302C22636C61696D5F756E74696C223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B6564222C2276223A312C2276657264696374223A7B22736861323536223A2230323635666165633863373138336130393562643237363230653062313336326434393531303634633231353261623237346537346635393239363833346165227D7D', '{"verdict":{"salt":"8dd95f621935208bf0a17085eb1fa3e58fe1de41d6c279617a6e386d3287e53f","value":"{\"level\":\"high\",\"policy\":{\"digest\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\",\"label\":\"1\"},\"rules\":[{\"because\":\"a deploy reaches customers\",\"rule\":\"deploys\"}],\"terms\":{\"alarm_after\":\"3m\",\"approve_on_timeout\":false,\"decide_within\":\"10m\",\"denials_to_reject\":1,\"partial_view_may_approve\":false,\"places\":[{\"channel\":\"C-ops\",\"surface\":\"slack\"}],\"reason_for_no\":false,\"reason_for_yes\":false,\"requester_may_approve\":false,\"stages\":[{\"groups\":[{\"count\":2,\"role\":\"releaser\"}]}],\"valid_for\":\"5m\"},\"tier\":\"approve\"}"}}');
INSERT INTO event VALUES (5, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'approval.requested', X'7B22616C61726D5F6174223A313738303030303138303030302C226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E726571756573746564222C22756E74696C223A313738303030303630303030302C2276223A317D', '{}');
INSERT INTO event VALUES (6, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'card.shown', X'7B226174223A313738303030303030303030302C2272656E646572696E67223A7B22736861323536223A2264333230376637323464666135303835636361393365316566623966613230313139636361333066633365643636633836646136663638636534333933633465227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22636172642E73686F776E222C2276223A317D', '{"rendering":{"salt":"9c0006fba5996513a614c8ac481ba95295734f0300cba4379786f94a36273070","value":"{\"full\":true,\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"surface\":\"slack\",\"viewer\":null}"}}');
INSERT INTO event VALUES (7, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'card.delivered', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2273757266616365223A22736C61636B222C2274656E616E74223A2261636D65222C2274797065223A22636172642E64656C697665726564222C2276223A317D', '{}');
INSERT INTO event VALUES (8, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'approval.bypassed_blocked', X'7B226174223A313738303030303030303030302C226279223A7B22736861323536223A2232646430393063323563333566326237356639393632336463653665313739376264633362306436633465336562393065383263346462643863336464306531227D2C22636F6D6D616E64223A22617070726F7665222C2270726573656E746564223A6E756C6C2C227265667573616C223A7B22736861323536223A2235356434303162376535383661356465393362623838373166623866313433323366306339643832356132356262636634393031613535353134333933646233227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E62797061737365645F626C6F636B6564222C2276223A317D', '{"by":{"salt":"e43ca2416fcddad1dd9d6a66641c0606de66b20f6ead70138f4a24795ed25547","value":"{\"id\":\"slack:T1/viewer\",\"kind\":\"account\"}"},"refusal":{"salt":"b160098b641c5e7bda4e373bd35cd4e26da03fc851eb1b143d34e727a37b3225","value":"{\"code\":\"wrong_role\",\"needs\":[\"releaser\"]}"}}');
INSERT INTO event VALUES (9, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'tool.proposed', X'7B22617267735F68617368223A7B22736861323536223A2263663433386139343565316266396635353064386132323738396535626461613432376265643537346366353038316533323539386366616439653732646137227D2C226174223A313738303030303030303030302C22636F6465223A22313748572D344D222C22646967657374223A2231326565313032663334306137656630653566626165323235663632363962633033376365323837336532633061363663616163383530306163373737306636222C2270726F706F73616C223A7B22736861323536223A2266333036383766303761366664326337666661653865326235613135303963383166313662306465326565343135393436646630373466636434653434343864227D2C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22746F6F6C2E70726F706F736564222C2276223A317D', '{"args_hash":{"salt":"52db0eb475c85e70f2b07d6dae43c6f8ad0fc5924b49fb6729b2d156526d8b28","value":"\"3818681924be372abb21373c12e7fa41b8b5b45dfe09afcfd1839a6ef314af98\""},"proposal":{"salt":"5b320d7fa51a0354e3272284804d7186aeff4d3a9aa7ef37e123db09dee5ddda","value":"{\"ask_again\":false,\"call\":{\"agent\":\"cleaner\",\"args\":\"{\\\"app\\\":\\\"api\\\",\\\"tag\\\":\\\"v43\\\"}\",\"preconditions\":{},\"server\":null,\"tool\":\"deploy\",\"tool_schema_hash\":null},\"evidence\":[],\"follows\":null,\"if_denied\":null,\"place\":null,\"preview\":null,\"prompt_version\":null,\"reason\":\"because it is ready\",\"requester\":{\"credential\":\"agent-key\",\"identities\":[\"slack:T1/requester\"],\"shown_as\":\"the cleaner\"},\"run\":{\"run\":\"run-1\",\"step\":\"step-1\"},\"session\":null,\"task\":\"release\",\"timeout\":null}"}}');
INSERT INTO event VALUES (10, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'policy.checking', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B696E67222C2276223A317D', '{}');
INSERT INTO event VALUES (11, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'policy.checked', X'7B226174223A313738303030303030303030302C22636C61696D5F756E74696C223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B6564222C2276223A312C2276657264696374223A7B22736861323536223A2264663330366436303838653135366239656538343635663663386466373765613537343639343537656563646438303364353365613633613034396564363232227D7D', '{"verdict":{"salt":"dab94a9bb004f499c17f0171c3e7ce23df895e6d00e27e84866ea4c69385ea52","value":"{\"level\":\"high\",\"policy\":{\"digest\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\",\"label\":\"1\"},\"rules\":[{\"because\":\"a deploy reaches customers\",\"rule\":\"deploys\"}],\"terms\":{\"alarm_after\":\"3m\",\"approve_on_timeout\":false,\"decide_within\":\"10m\",\"denials_to_reject\":1,\"partial_view_may_approve\":false,\"places\":[{\"channel\":\"C-ops\",\"surface\":\"slack\"}],\"reason_for_no\":false,\"reason_for_yes\":false,\"requester_may_approve\":false,\"stages\":[{\"groups\":[{\"count\":1,\"role\":\"releaser\"}]}],\"valid_for\":\"5m\"},\"tier\":\"approve\"}"}}');
INSERT INTO event VALUES (12, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'approval.requested', X'7B22616C61726D5F6174223A313738303030303138303030302C226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E726571756573746564222C22756E74696C223A313738303030303630303030302C2276223A317D', '{}');
INSERT INTO event VALUES (13, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'vote.cast', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22766F74652E63617374222C2276223A312C22766F7465223A7B22736861323536223A2235306166303135396466616231666263303465343662623133393265386664613065336637383763323636636437383131653261333532313630626336663639227D7D', '{"vote":{"salt":"a568bbb3f9001f36b22e9eb804251b655b91ef5030084f79c8888ceeda7e540d","value":"{\"assurance\":\"signed\",\"at\":1780000000000,\"decision\":\"approve\",\"digest\":\"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b\",\"identity\":\"slack:T1/alice\",\"name\":\"alice\",\"note\":null,\"person\":\"alice\",\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"stage\":0,\"surface\":\"slack\"}"}}');
INSERT INTO event VALUES (14, 'acme', NULL, 1780000000000, 'stop.placed', X'7B226174223A313738303030303030303030302C22686F6C64223A7B22736861323536223A2263336630636362343337623232343639376664303961303633306361643630393366303338323038336632343861613734393636343231643062353864626430227D2C2272657175657374223A6E756C6C2C2274656E616E74223A2261636D65222C2274797065223A2273746F702E706C61636564222C2276223A317D', '{"hold":{"salt":"93dda9d36151bb0602d68fb843d8e45b76a5b61e6f5ca6e50943835359cce4ff","value":"{\"by\":{\"id\":\"slack:T1/admin\",\"kind\":\"account\"},\"id\":\"019e7044-8800-7fa1-b9b9-6137478ed3c2\",\"name\":\"Ada\",\"reason\":\"it went wild\",\"scope\":{\"name\":\"another\",\"of\":\"tool\"},\"since\":1780000000000,\"tenant\":null}"}}');
INSERT INTO event VALUES (15, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'tool.proposed', X'7B22617267735F68617368223A7B22736861323536223A2264386666646635643534653536333765343937323739336437313431333636613737353766313532383339646662303063656433663333356432363638366439227D2C226174223A313738303030303030303030302C22636F6465223A22563838312D4559222C22646967657374223A2236656437643061393639363237386234613430356432633537653335353839323364313130633936666565626435613431363136346532383530373766626335222C2270726F706F73616C223A7B22736861323536223A2237663232356531323162616538653131313236356233323139356433303430363030333433616132353662323231623537633562323437323564626439663261227D2C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22746F6F6C2E70726F706F736564222C2276223A317D', '{"args_hash":{"salt":"2e6a849c8954cdf8d99d1cb3a183aabc89d743ba2e39a79aaabb0e1f8fcb9f4b","value":"\"f5cf6a6689d9ffbab7e3d5c763f077bfd0e43bc57c0b4e5153c22b661ae95cbd\""},"proposal":{"salt":"aad104c1cf4660124a43782bf8fbb542b2648477300e39da7ce7e8c59f922c90","value":"{\"ask_again\":false,\"call\":{\"agent\":\"cleaner\",\"args\":\"{\\\"app\\\":\\\"api\\\",\\\"tag\\\":\\\"v44\\\"}\",\"preconditions\":{},\"server\":null,\"tool\":\"deploy\",\"tool_schema_hash\":null},\"evidence\":[],\"follows\":null,\"if_denied\":null,\"place\":null,\"preview\":null,\"prompt_version\":null,\"reason\":\"because it is ready\",\"requester\":{\"credential\":\"agent-key\",\"identities\":[\"slack:T1/requester\"],\"shown_as\":\"the cleaner\"},\"run\":{\"run\":\"run-1\",\"step\":\"step-1\"},\"session\":\"s1\",\"task\":\"release\",\"timeout\":null}"}}');
INSERT INTO event VALUES (16, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'policy.checking', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B696E67222C2276223A317D', '{}');
INSERT INTO event VALUES (17, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'policy.checked', X'7B226174223A313738303030303030303030302C22636C61696D5F756E74696C223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B6564222C2276223A312C2276657264696374223A7B22736861323536223A2230646538373461333835663839383338653336353132653132633864373262343762353736353433333335306632623863393364623334646535643662306337227D7D', '{"verdict":{"salt":"6997784307897975f2d163f35e4be053ba6f77dfce9dc3a07f3c9f6bbe95f1ca","value":"{\"level\":\"high\",\"policy\":{\"digest\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\",\"label\":\"1\"},\"remember\":{\"pattern\":{\"app\":{\"exact\":\"api\"},\"tag\":\"any\"},\"within\":\"1h\"},\"rules\":[{\"because\":\"a deploy reaches customers\",\"rule\":\"deploys\"}],\"terms\":{\"alarm_after\":\"3m\",\"approve_on_timeout\":false,\"decide_within\":\"10m\",\"denials_to_reject\":1,\"partial_view_may_approve\":false,\"places\":[{\"channel\":\"C-ops\",\"surface\":\"slack\"}],\"reason_for_no\":false,\"reason_for_yes\":false,\"requester_may_approve\":false,\"stages\":[{\"groups\":[{\"count\":1,\"role\":\"releaser\"}]}],\"valid_for\":\"5m\"},\"tier\":\"approve\"}"}}');
INSERT INTO event VALUES (18, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'approval.requested', X'7B22616C61726D5F6174223A313738303030303138303030302C226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E726571756573746564222C22756E74696C223A313738303030303630303030302C2276223A317D', '{}');
INSERT INTO event VALUES (19, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'card.shown', X'7B226174223A313738303030303030303030302C2272656E646572696E67223A7B22736861323536223A2264653165643638663831333361386562346162653134373965383835613132353133653737346362323536343530656466623632633339323030656539333466227D2C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22636172642E73686F776E222C2276223A317D', '{"rendering":{"salt":"8481bc33ca17d5236b603936ef44a6e44b56b822301f8c45b1cd892636a40688","value":"{\"full\":true,\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"surface\":\"slack\",\"viewer\":null}"}}');
INSERT INTO event VALUES (20, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'vote.cast', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22766F74652E63617374222C2276223A312C22766F7465223A7B22736861323536223A2233303465393362666639393237336465643566346130396334343436633962323664623338663862373130303632663162383832313261333664306430366336227D7D', '{"vote":{"salt":"3c320dfdcc4b5b2980931589e687005adc8b155d8646d8e9f0d4c07209ab064f","value":"{\"assurance\":\"signed\",\"at\":1780000000000,\"decision\":\"approve\",\"digest\":\"6ed7d0a9696278b4a405d2c57e3558923d110c96feebd5a416164e285077fbc5\",\"identity\":\"slack:T1/alice\",\"name\":\"alice\",\"note\":null,\"person\":\"alice\",\"remember\":true,\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"stage\":0,\"surface\":\"slack\"}"}}');
INSERT INTO event VALUES (21, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'approval.decided', X'7B22617070726F7665645F6279223A7B22736861323536223A2232383966346162303334326435306566356334313462656538353834663361313233643163363832363238336665383833633034346663303531303932393763227D2C226174223A313738303030303030303030302C22636C61696D5F756E74696C223A313738303030303330303030302C226465636973696F6E223A22617070726F7665222C2270656F706C65223A7B22736861323536223A2234386165376461653438613439393036316166666233623439343766373833653362346639353932363563353133663936656639613463653265653130373830227D2C22726561736F6E223A6E756C6C2C2272656A65637465645F6279223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E64656369646564222C2276223A317D', '{"approved_by":{"salt":"8628b6e24e6fbdaa6a6b0f2591a83d31f93312d8ea6ea3c9cc8c0153fd2db496","value":"{\"who\":\"votes\"}"},"people":{"salt":"19863f059630fe05d386d6e02fd4340015ef083b961a101f8dff4d9bc007ffe1","value":"[\"alice\"]"}}');
INSERT INTO event VALUES (22, 'acme', X'019E704488007EC2B5D5F75D468F0672', 1780000000000, 'approval.remembered', X'7B226174223A313738303030303030303030302C2272656D656D6265726564223A7B22736861323536223A2235663532343330326431336432343334306534333861383131313663323533386133656430616135336430356533356438653463386332343334336164653133227D2C2272657175657374223A2230313965373034342D383830302D376563322D623564352D663735643436386630363732222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E72656D656D6265726564222C2276223A317D', '{"remembered":{"salt":"d9ccdb8b523c7bf47fc4db850a29da82014eb63d277bcd560e7111e91782f5e2","value":"{\"agent\":\"cleaner\",\"by\":[\"slack:T1/alice\"],\"id\":\"019e7044-8800-7ec2-b5d5-f75d468f0672\",\"level\":\"high\",\"names\":[\"alice\"],\"pattern\":{\"app\":{\"exact\":\"api\"},\"tag\":\"any\"},\"roles\":[\"releaser\"],\"server\":null,\"session\":\"s1\",\"since\":1780000000000,\"tenant\":\"acme\",\"tool\":\"deploy\",\"until\":1780003600000}"}}');
INSERT INTO idempotency VALUES ('acme', 'agent-key', 'k1', X'019E7044880076A99190169323FA64E5', X'12EE102F340A7EF0E5FBAE225F6269BC037CE2873E2C0A66CAAC8500AC7770F6', X'3EC92CC09AE86E8F2173F2450DCBC146A4321379F119830F815FEBECA9A146C8');
INSERT INTO command VALUES (X'019E704488007BAFA0D99FC7211B4BBA', 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, '{"Ok":"changed"}', 5);
INSERT INTO inbox VALUES ('slack:1', 'acme', 1780000000000, NULL, '{"delivery":"slack:1","at":1780000000000,"tenant":"acme","request":"019e7044-8800-7195-a445-b9704bb4e33a","message":null,"reply":null,"act":{"act":"take_back","identity":"slack:T1/alice"}}', NULL);
INSERT INTO card VALUES (X'019E704488007195A445B9704BB4E33A', 'slack', 'C-ops', '', 'acme', 2, 1780000000000, '{"tenant":"acme","request":"019e7044-8800-7195-a445-b9704bb4e33a","place":{"surface":"slack","channel":"C-ops"},"wanted":2,"messages":[{"message":{"channel":"C-ops","id":"v42"},"revision":1}],"attempt":null,"tries":0,"failing_since":null,"next_try_at":1780000000000,"given_up":null}');
INSERT INTO card VALUES (X'019E7044880076A99190169323FA64E5', 'slack', 'C-ops', '', 'acme', 1, 1780000000000, '{"tenant":"acme","request":"019e7044-8800-76a9-9190-169323fa64e5","place":{"surface":"slack","channel":"C-ops"},"wanted":1,"messages":[],"attempt":null,"tries":0,"failing_since":null,"next_try_at":1780000000000,"given_up":null}');
INSERT INTO card VALUES (X'019E704488007EC2B5D5F75D468F0672', 'slack', 'C-ops', '', 'acme', 3, 1780000000000, '{"tenant":"acme","request":"019e7044-8800-7ec2-b5d5-f75d468f0672","place":{"surface":"slack","channel":"C-ops"},"wanted":3,"messages":[],"attempt":null,"tries":0,"failing_since":null,"next_try_at":1780000000000,"given_up":null}');
INSERT INTO card_message VALUES ('acme', 'C-ops', 'v42', 'slack', X'019E704488007195A445B9704BB4E33A');
INSERT INTO outbox VALUES (1, 'acme', 1780000000000, 0, 1780000000000, NULL, NULL, '{"tenant":"acme","to":{"account":{"surface":"slack","channel":"C-ops","identity":"slack:T1/viewer"}},"notice":{"notice":"refused","request":"019e7044-8800-7195-a445-b9704bb4e33a","code":"VRVC-DW","command":"approve","refusal":{"code":"wrong_role","needs":["releaser"]}}}');
INSERT INTO outbox VALUES (2, 'acme', 1780000000000, 0, 1780000000000, NULL, NULL, '{"tenant":"acme","to":"operators","notice":{"notice":"held","what":"calls of the tool another","reason":"it went wild"}}');
INSERT INTO credential VALUES ('acme', 'agent-key', X'112A8D31E2B0FB3F207031FEF32F7A7245F787B4D4E85B45F65AA5B83435368C', 1780000000000, NULL, '{"id":"agent-key","tenant":"acme","agent":"cleaner","scopes":["propose","audit"],"may_act_for_others":true,"secret_hash":"112a8d31e2b0fb3f207031fef32f7a7245f787b4d4e85b45f65aa5b83435368c","created_at":1780000000000,"expires_at":1780003600000,"revoked_at":null}');
INSERT INTO agent_run VALUES ('acme', 'r1', 's1', 1780000000000, 0, 1, '{"step":1}');
INSERT INTO session_event VALUES ('acme', 's1', 1, '{}');
INSERT INTO approval_request VALUES (X'019E704488007195A445B9704BB4E33A', 'acme', 'VRVC-DW', 'waiting_approval', 'cleaner', 'deploy', 'deploy', 'high', 'run-1', 'step-1', 'agent-key', X'6E5F63C0571F5BF76195DE22C6375D211F94FC41D667D540D95A1C85E563270B', X'D03D17756781D57CCAF06B76ABE9C34E871DAE8770DE3B0F3F37754ABE61AF80', 1780000000000, 1780000180000, NULL, NULL, 1, NULL, 5, '{"id":"019e7044-8800-7195-a445-b9704bb4e33a","tenant":"acme","code":"VRVC-DW","proposal":{"call":{"agent":"cleaner","server":null,"tool":"deploy","tool_schema_hash":null,"args":"{\"app\":\"api\",\"tag\":\"v42\"}","preconditions":{}},"requester":{"credential":"agent-key","identities":["slack:T1/requester"],"shown_as":"the cleaner"},"run":{"run":"run-1","step":"step-1"},"session":null,"task":"release","reason":"because it is ready","evidence":[],"preview":null,"if_denied":null,"prompt_version":null,"place":null,"timeout":null,"follows":null,"ask_again":false},"digest":"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b","args_hash":"d03d17756781d57ccaf06b76abe9c34e871dae8770de3b0f3f37754abe61af80","verdict":{"tier":"approve","level":"high","rules":[{"rule":"deploys","because":"a deploy reaches customers"}],"policy":{"label":"1","digest":"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"},"terms":{"stages":[{"groups":[{"role":"releaser","count":2}]}],"decide_within":"10m","valid_for":"5m","alarm_after":"3m","requester_may_approve":false,"reason_for_yes":false,"reason_for_no":false,"denials_to_reject":1,"partial_view_may_approve":false,"approve_on_timeout":false,"places":[{"surface":"slack","channel":"C-ops"}]}},"state":{"status":"waiting_approval","data":{"since":1780000000000,"until":1780000600000,"alarm_at":1780000180000,"questions":[],"reminders":0}},"votes":[{"identity":"slack:T1/alice","person":"alice","name":"alice","decision":"approve","note":null,"at":1780000000000,"stage":0,"surface":"slack","assurance":"signed","shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","digest":"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b"}],"renderings":[{"shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","surface":"slack","full":true,"viewer":null}],"card_delivered":true,"alarms":[],"opened_at":1780000000000,"last_event_at":1780000000000,"version":5,"revision":2,"refusals":{"slack:T1/viewer wrong_role":1780000000000}}');
INSERT INTO approval_request VALUES (X'019E7044880076A99190169323FA64E5', 'acme', '17HW-4M', 'waiting_approval', 'cleaner', 'deploy', 'deploy', 'high', 'run-1', 'step-1', 'agent-key', X'12EE102F340A7EF0E5FBAE225F6269BC037CE2873E2C0A66CAAC8500AC7770F6', X'3818681924BE372ABB21373C12E7FA41B8B5B45DFE09AFCFD1839A6EF314AF98', 1780000000000, 1780000180000, NULL, NULL, 1, NULL, 1, '{"id":"019e7044-8800-76a9-9190-169323fa64e5","tenant":"acme","code":"17HW-4M","proposal":{"call":{"agent":"cleaner","server":null,"tool":"deploy","tool_schema_hash":null,"args":"{\"app\":\"api\",\"tag\":\"v43\"}","preconditions":{}},"requester":{"credential":"agent-key","identities":["slack:T1/requester"],"shown_as":"the cleaner"},"run":{"run":"run-1","step":"step-1"},"session":null,"task":"release","reason":"because it is ready","evidence":[],"preview":null,"if_denied":null,"prompt_version":null,"place":null,"timeout":null,"follows":null,"ask_again":false},"digest":"12ee102f340a7ef0e5fbae225f6269bc037ce2873e2c0a66caac8500ac7770f6","args_hash":"3818681924be372abb21373c12e7fa41b8b5b45dfe09afcfd1839a6ef314af98","verdict":{"tier":"approve","level":"high","rules":[{"rule":"deploys","because":"a deploy reaches customers"}],"policy":{"label":"1","digest":"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"},"terms":{"stages":[{"groups":[{"role":"releaser","count":1}]}],"decide_within":"10m","valid_for":"5m","alarm_after":"3m","requester_may_approve":false,"reason_for_yes":false,"reason_for_no":false,"denials_to_reject":1,"partial_view_may_approve":false,"approve_on_timeout":false,"places":[{"surface":"slack","channel":"C-ops"}]}},"state":{"status":"waiting_approval","data":{"since":1780000000000,"until":1780000600000,"alarm_at":1780000180000,"questions":[],"reminders":0}},"votes":[],"renderings":[],"card_delivered":false,"alarms":[],"opened_at":1780000000000,"last_event_at":1780000000000,"version":1,"revision":1,"refusals":{}}');
INSERT INTO approval_request VALUES (X'019E704488007EC2B5D5F75D468F0672', 'acme', 'V881-EY', 'approved', 'cleaner', 'deploy', 'deploy', 'high', 'run-1', 'step-1', 'agent-key', X'6ED7D0A9696278B4A405D2C57E3558923D110C96FEEBD5A416164E285077FBC5', X'F5CF6A6689D9FFBAB7E3D5C763F077BFD0E43BC57C0B4E5153C22B661AE95CBD', 1780000000000, 1780000300000, NULL, NULL, 1, NULL, 3, '{"id":"019e7044-8800-7ec2-b5d5-f75d468f0672","tenant":"acme","code":"V881-EY","proposal":{"call":{"agent":"cleaner","server":null,"tool":"deploy","tool_schema_hash":null,"args":"{\"app\":\"api\",\"tag\":\"v44\"}","preconditions":{}},"requester":{"credential":"agent-key","identities":["slack:T1/requester"],"shown_as":"the cleaner"},"run":{"run":"run-1","step":"step-1"},"session":"s1","task":"release","reason":"because it is ready","evidence":[],"preview":null,"if_denied":null,"prompt_version":null,"place":null,"timeout":null,"follows":null,"ask_again":false},"digest":"6ed7d0a9696278b4a405d2c57e3558923d110c96feebd5a416164e285077fbc5","args_hash":"f5cf6a6689d9ffbab7e3d5c763f077bfd0e43bc57c0b4e5153c22b661ae95cbd","verdict":{"tier":"approve","level":"high","rules":[{"rule":"deploys","because":"a deploy reaches customers"}],"policy":{"label":"1","digest":"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"},"terms":{"stages":[{"groups":[{"role":"releaser","count":1}]}],"decide_within":"10m","valid_for":"5m","alarm_after":"3m","requester_may_approve":false,"reason_for_yes":false,"reason_for_no":false,"denials_to_reject":1,"partial_view_may_approve":false,"approve_on_timeout":false,"places":[{"surface":"slack","channel":"C-ops"}]},"remember":{"pattern":{"app":{"exact":"api"},"tag":"any"},"within":"1h"}},"state":{"status":"approved","data":{"by":{"who":"votes"},"at":1780000000000,"until":1780000300000}},"votes":[{"identity":"slack:T1/alice","person":"alice","name":"alice","decision":"approve","note":null,"at":1780000000000,"stage":0,"surface":"slack","assurance":"signed","shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","digest":"6ed7d0a9696278b4a405d2c57e3558923d110c96feebd5a416164e285077fbc5","remember":true}],"renderings":[{"shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","surface":"slack","full":true,"viewer":null}],"card_delivered":false,"alarms":[],"opened_at":1780000000000,"last_event_at":1780000000000,"version":3,"revision":3,"refusals":{}}');
INSERT INTO hold VALUES (X'019E704488007FA1B9B96137478ED3C2', '', 'tool', '', 'another', '', 1780000000000, NULL, '{"id":"019e7044-8800-7fa1-b9b9-6137478ed3c2","tenant":null,"scope":{"of":"tool","name":"another"},"by":{"kind":"account","id":"slack:T1/admin"},"name":"Ada","reason":"it went wild","since":1780000000000}');
INSERT INTO remembered VALUES (X'019E704488007EC2B5D5F75D468F0672', 'acme', 'cleaner', 's1', 1780000000000, 1780003600000, NULL, '{"id":"019e7044-8800-7ec2-b5d5-f75d468f0672","tenant":"acme","agent":"cleaner","session":"s1","server":null,"tool":"deploy","pattern":{"app":{"exact":"api"},"tag":"any"},"level":"high","by":["slack:T1/alice"],"names":["alice"],"roles":["releaser"],"since":1780000000000,"until":1780003600000}');
