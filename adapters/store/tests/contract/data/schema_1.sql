-- A database with rows in every table, written by the tests. Never changed once released.
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
CREATE TABLE approval_request (
  approval_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(approval_id) = 16),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  code         TEXT    NOT NULL CHECK (length(code) = 7),
  status       TEXT    NOT NULL CHECK (status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved',
                                                  'rejected', 'executing', 'executed', 'expired', 'revoked')),
  tool_name    TEXT    NOT NULL CHECK (tool_name <> ''),
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
  version      INTEGER NOT NULL CHECK (version >= 1),
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (over_at IS NULL OR due_at IS NULL),
  CHECK ((run_id IS NULL) = (step_id IS NULL)),
  -- Exactly the states in which time does something have a time at which it does.
  CHECK ((status IN ('waiting_approval', 'approved', 'executing')) = (due_at IS NOT NULL)),
  -- Whatever was decided was graded first.
  CHECK (risk_level IS NOT NULL OR status IN ('proposed', 'policy_checking', 'revoked'))
) STRICT;
CREATE UNIQUE INDEX approval_request_open_code ON approval_request (code)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_open ON approval_request (tenant_id, approval_id)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_due ON approval_request (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX approval_request_alarms ON approval_request (over_at, alarms) WHERE alarms IS NOT NULL;
CREATE INDEX approval_request_of_tenant ON approval_request (tenant_id, approval_id, status, code);
CREATE INDEX approval_request_digest ON approval_request (digest, approval_id);
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
) STRICT;
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
INSERT INTO schema_migration VALUES (1, 'foundation', X'971E3116106C5AD9F9450F8840AB1B6F93D423F51C490DEB371B7B62FFC366F0', 1780000000000);
INSERT INTO meta VALUES ('epoch', 'bb43d723345365283a299b2ed359012b');
INSERT INTO approval_request VALUES (X'019E704488007195A445B9704BB4E33A', 'acme', 'VRVC-DW', 'waiting_approval', 'deploy', 'high', 'run-1', 'step-1', 'agent-key', X'6E5F63C0571F5BF76195DE22C6375D211F94FC41D667D540D95A1C85E563270B', X'D03D17756781D57CCAF06B76ABE9C34E871DAE8770DE3B0F3F37754ABE61AF80', 1780000000000, 1780000180000, NULL, NULL, 5, '{"id":"019e7044-8800-7195-a445-b9704bb4e33a","tenant":"acme","code":"VRVC-DW","proposal":{"call":{"agent":"cleaner","server":null,"tool":"deploy","tool_schema_hash":null,"args":"{\"app\":\"api\",\"tag\":\"v42\"}","preconditions":{}},"requester":{"credential":"agent-key","identities":["slack:T1/requester"],"shown_as":"the cleaner"},"run":{"run":"run-1","step":"step-1"},"session":null,"task":"release","reason":"because it is ready","evidence":[],"preview":null,"if_denied":null,"prompt_version":null,"place":null,"timeout":null,"follows":null},"digest":"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b","args_hash":"d03d17756781d57ccaf06b76abe9c34e871dae8770de3b0f3f37754abe61af80","verdict":{"tier":"approve","level":"high","rules":[{"rule":"deploys","because":"a deploy reaches customers"}],"policy":{"label":"1","digest":"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"},"terms":{"stages":[{"groups":[{"role":"releaser","count":2}]}],"decide_within":"10m","valid_for":"5m","alarm_after":"3m","requester_may_approve":false,"reason_for_yes":false,"reason_for_no":false,"denials_to_reject":1,"partial_view_may_approve":false,"approve_on_timeout":false,"places":[{"surface":"slack","channel":"C-ops"}]}},"state":{"status":"waiting_approval","data":{"since":1780000000000,"until":1780000600000,"alarm_at":1780000180000,"questions":[],"escalations":0}},"votes":[{"identity":"slack:T1/alice","person":"alice","name":"alice","decision":"approve","note":null,"at":1780000000000,"stage":0,"surface":"slack","assurance":"signed","shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","digest":"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b"}],"renderings":[{"shown":"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619","surface":"slack","full":true,"viewer":null}],"card_delivered":true,"alarms":[],"opened_at":1780000000000,"last_event_at":1780000000000,"version":5,"revision":2,"refusals":{"slack:T1/viewer wrong_role":1780000000000}}');
INSERT INTO approval_request VALUES (X'019E7044880076A99190169323FA64E5', 'acme', '17HW-4M', 'waiting_approval', 'deploy', 'high', 'run-1', 'step-1', 'agent-key', X'12EE102F340A7EF0E5FBAE225F6269BC037CE2873E2C0A66CAAC8500AC7770F6', X'3818681924BE372ABB21373C12E7FA41B8B5B45DFE09AFCFD1839A6EF314AF98', 1780000000000, 1780000180000, NULL, NULL, 1, '{"id":"019e7044-8800-76a9-9190-169323fa64e5","tenant":"acme","code":"17HW-4M","proposal":{"call":{"agent":"cleaner","server":null,"tool":"deploy","tool_schema_hash":null,"args":"{\"app\":\"api\",\"tag\":\"v43\"}","preconditions":{}},"requester":{"credential":"agent-key","identities":["slack:T1/requester"],"shown_as":"the cleaner"},"run":{"run":"run-1","step":"step-1"},"session":null,"task":"release","reason":"because it is ready","evidence":[],"preview":null,"if_denied":null,"prompt_version":null,"place":null,"timeout":null,"follows":null},"digest":"12ee102f340a7ef0e5fbae225f6269bc037ce2873e2c0a66caac8500ac7770f6","args_hash":"3818681924be372abb21373c12e7fa41b8b5b45dfe09afcfd1839a6ef314af98","verdict":{"tier":"approve","level":"high","rules":[{"rule":"deploys","because":"a deploy reaches customers"}],"policy":{"label":"1","digest":"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"},"terms":{"stages":[{"groups":[{"role":"releaser","count":1}]}],"decide_within":"10m","valid_for":"5m","alarm_after":"3m","requester_may_approve":false,"reason_for_yes":false,"reason_for_no":false,"denials_to_reject":1,"partial_view_may_approve":false,"approve_on_timeout":false,"places":[{"surface":"slack","channel":"C-ops"}]}},"state":{"status":"waiting_approval","data":{"since":1780000000000,"until":1780000600000,"alarm_at":1780000180000,"questions":[],"escalations":0}},"votes":[],"renderings":[],"card_delivered":false,"alarms":[],"opened_at":1780000000000,"last_event_at":1780000000000,"version":1,"revision":1,"refusals":{}}');
INSERT INTO log_head VALUES (1, 13);
INSERT INTO event VALUES (1, 'acme', NULL, 1780000000000, 'credential.created', X'7B226174223A313738303030303030303030302C2263726564656E7469616C223A226167656E742D6B6579222C2272657175657374223A6E756C6C2C2273636F706573223A5B2270726F706F7365222C226175646974225D2C2274656E616E74223A2261636D65222C2274797065223A2263726564656E7469616C2E63726561746564222C2276223A317D', '{}');
INSERT INTO event VALUES (2, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'tool.proposed', X'7B22617267735F68617368223A7B22736861323536223A2235613431326465623434393462386337373433366530376533346564613162626135376461633561376666646234623862373064616161653131363430356265227D2C226174223A313738303030303030303030302C22636F6465223A22565256432D4457222C22646967657374223A2236653566363363303537316635626637363139356465323263363337356432313166393466633431643636376435343064393561316338356535363332373062222C2270726F706F73616C223A7B22736861323536223A2234363133626635383530333738313932653861656237613563303566333331336538663162323831653262326631303563363534313530386664333238396539227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22746F6F6C2E70726F706F736564222C2276223A317D', '{"args_hash":{"salt":"b6b70bba88db37125f1cec9926fe99cfa34dff5b9bb8f53d9f6343157e0a6f41","value":"\"d03d17756781d57ccaf06b76abe9c34e871dae8770de3b0f3f37754abe61af80\""},"proposal":{"salt":"630f6bd9cda80f5c4a854d5d7725487edcd56efd68b8d074afc54233bf9196bc","value":"{\"call\":{\"agent\":\"cleaner\",\"args\":\"{\\\"app\\\":\\\"api\\\",\\\"tag\\\":\\\"v42\\\"}\",\"preconditions\":{},\"server\":null,\"tool\":\"deploy\",\"tool_schema_hash\":null},\"evidence\":[],\"follows\":null,\"if_denied\":null,\"place\":null,\"preview\":null,\"prompt_version\":null,\"reason\":\"because it is ready\",\"requester\":{\"credential\":\"agent-key\",\"identities\":[\"slack:T1/requester\"],\"shown_as\":\"the cleaner\"},\"run\":{\"run\":\"run-1\",\"step\":\"step-1\"},\"session\":null,\"task\":\"release\",\"timeout\":null}"}}');
INSERT INTO event VALUES (3, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'policy.checking', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B696E67222C2276223A317D', '{}');
INSERT INTO event VALUES (4, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'policy.checked', X'7B226174223A313738303030303030303030302C22636C61696D5F756E74696C223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B6564222C2276223A312C2276657264696374223A7B22736861323536223A2230323635666165633863373138336130393562643237363230653062313336326434393531303634633231353261623237346537346635393239363833346165227D7D', '{"verdict":{"salt":"8dd95f621935208bf0a17085eb1fa3e58fe1de41d6c279617a6e386d3287e53f","value":"{\"level\":\"high\",\"policy\":{\"digest\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\",\"label\":\"1\"},\"rules\":[{\"because\":\"a deploy reaches customers\",\"rule\":\"deploys\"}],\"terms\":{\"alarm_after\":\"3m\",\"approve_on_timeout\":false,\"decide_within\":\"10m\",\"denials_to_reject\":1,\"partial_view_may_approve\":false,\"places\":[{\"channel\":\"C-ops\",\"surface\":\"slack\"}],\"reason_for_no\":false,\"reason_for_yes\":false,\"requester_may_approve\":false,\"stages\":[{\"groups\":[{\"count\":2,\"role\":\"releaser\"}]}],\"valid_for\":\"5m\"},\"tier\":\"approve\"}"}}');
INSERT INTO event VALUES (5, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'approval.requested', X'7B22616C61726D5F6174223A313738303030303138303030302C226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E726571756573746564222C22756E74696C223A313738303030303630303030302C2276223A317D', '{}');
INSERT INTO event VALUES (6, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'card.shown', X'7B226174223A313738303030303030303030302C2272656E646572696E67223A7B22736861323536223A2264333230376637323464666135303835636361393365316566623966613230313139636361333066633365643636633836646136663638636534333933633465227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22636172642E73686F776E222C2276223A317D', '{"rendering":{"salt":"9c0006fba5996513a614c8ac481ba95295734f0300cba4379786f94a36273070","value":"{\"full\":true,\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"surface\":\"slack\",\"viewer\":null}"}}');
INSERT INTO event VALUES (7, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'card.delivered', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2273757266616365223A22736C61636B222C2274656E616E74223A2261636D65222C2274797065223A22636172642E64656C697665726564222C2276223A317D', '{}');
INSERT INTO event VALUES (8, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'approval.bypassed_blocked', X'7B226174223A313738303030303030303030302C226279223A7B22736861323536223A2232646430393063323563333566326237356639393632336463653665313739376264633362306436633465336562393065383263346462643863336464306531227D2C22636F6D6D616E64223A22617070726F7665222C2270726573656E746564223A6E756C6C2C227265667573616C223A7B22736861323536223A2235356434303162376535383661356465393362623838373166623866313433323366306339643832356132356262636634393031613535353134333933646233227D2C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E62797061737365645F626C6F636B6564222C2276223A317D', '{"by":{"salt":"e43ca2416fcddad1dd9d6a66641c0606de66b20f6ead70138f4a24795ed25547","value":"{\"id\":\"slack:T1/viewer\",\"kind\":\"account\"}"},"refusal":{"salt":"b160098b641c5e7bda4e373bd35cd4e26da03fc851eb1b143d34e727a37b3225","value":"{\"code\":\"wrong_role\",\"needs\":[\"releaser\"]}"}}');
INSERT INTO event VALUES (9, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'tool.proposed', X'7B22617267735F68617368223A7B22736861323536223A2263663433386139343565316266396635353064386132323738396535626461613432376265643537346366353038316533323539386366616439653732646137227D2C226174223A313738303030303030303030302C22636F6465223A22313748572D344D222C22646967657374223A2231326565313032663334306137656630653566626165323235663632363962633033376365323837336532633061363663616163383530306163373737306636222C2270726F706F73616C223A7B22736861323536223A2264373765363331656361656563633435623836313162653665643432376533393965323531653561386431633431333733303335663032343164393961393534227D2C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22746F6F6C2E70726F706F736564222C2276223A317D', '{"args_hash":{"salt":"52db0eb475c85e70f2b07d6dae43c6f8ad0fc5924b49fb6729b2d156526d8b28","value":"\"3818681924be372abb21373c12e7fa41b8b5b45dfe09afcfd1839a6ef314af98\""},"proposal":{"salt":"5b320d7fa51a0354e3272284804d7186aeff4d3a9aa7ef37e123db09dee5ddda","value":"{\"call\":{\"agent\":\"cleaner\",\"args\":\"{\\\"app\\\":\\\"api\\\",\\\"tag\\\":\\\"v43\\\"}\",\"preconditions\":{},\"server\":null,\"tool\":\"deploy\",\"tool_schema_hash\":null},\"evidence\":[],\"follows\":null,\"if_denied\":null,\"place\":null,\"preview\":null,\"prompt_version\":null,\"reason\":\"because it is ready\",\"requester\":{\"credential\":\"agent-key\",\"identities\":[\"slack:T1/requester\"],\"shown_as\":\"the cleaner\"},\"run\":{\"run\":\"run-1\",\"step\":\"step-1\"},\"session\":null,\"task\":\"release\",\"timeout\":null}"}}');
INSERT INTO event VALUES (10, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'policy.checking', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B696E67222C2276223A317D', '{}');
INSERT INTO event VALUES (11, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'policy.checked', X'7B226174223A313738303030303030303030302C22636C61696D5F756E74696C223A6E756C6C2C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22706F6C6963792E636865636B6564222C2276223A312C2276657264696374223A7B22736861323536223A2264663330366436303838653135366239656538343635663663386466373765613537343639343537656563646438303364353365613633613034396564363232227D7D', '{"verdict":{"salt":"dab94a9bb004f499c17f0171c3e7ce23df895e6d00e27e84866ea4c69385ea52","value":"{\"level\":\"high\",\"policy\":{\"digest\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\",\"label\":\"1\"},\"rules\":[{\"because\":\"a deploy reaches customers\",\"rule\":\"deploys\"}],\"terms\":{\"alarm_after\":\"3m\",\"approve_on_timeout\":false,\"decide_within\":\"10m\",\"denials_to_reject\":1,\"partial_view_may_approve\":false,\"places\":[{\"channel\":\"C-ops\",\"surface\":\"slack\"}],\"reason_for_no\":false,\"reason_for_yes\":false,\"requester_may_approve\":false,\"stages\":[{\"groups\":[{\"count\":1,\"role\":\"releaser\"}]}],\"valid_for\":\"5m\"},\"tier\":\"approve\"}"}}');
INSERT INTO event VALUES (12, 'acme', X'019E7044880076A99190169323FA64E5', 1780000000000, 'approval.requested', X'7B22616C61726D5F6174223A313738303030303138303030302C226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373661392D393139302D313639333233666136346535222C2274656E616E74223A2261636D65222C2274797065223A22617070726F76616C2E726571756573746564222C22756E74696C223A313738303030303630303030302C2276223A317D', '{}');
INSERT INTO event VALUES (13, 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, 'vote.cast', X'7B226174223A313738303030303030303030302C2272657175657374223A2230313965373034342D383830302D373139352D613434352D623937303462623465333361222C2274656E616E74223A2261636D65222C2274797065223A22766F74652E63617374222C2276223A312C22766F7465223A7B22736861323536223A2235306166303135396466616231666263303465343662623133393265386664613065336637383763323636636437383131653261333532313630626336663639227D7D', '{"vote":{"salt":"a568bbb3f9001f36b22e9eb804251b655b91ef5030084f79c8888ceeda7e540d","value":"{\"assurance\":\"signed\",\"at\":1780000000000,\"decision\":\"approve\",\"digest\":\"6e5f63c0571f5bf76195de22c6375d211f94fc41d667d540d95a1c85e563270b\",\"identity\":\"slack:T1/alice\",\"name\":\"alice\",\"note\":null,\"person\":\"alice\",\"shown\":\"47809887be58d96f08ff76d8b48b3983127d513754098362659ef2e9c94be619\",\"stage\":0,\"surface\":\"slack\"}"}}');
INSERT INTO idempotency VALUES ('acme', 'agent-key', 'k1', X'019E7044880076A99190169323FA64E5', X'12EE102F340A7EF0E5FBAE225F6269BC037CE2873E2C0A66CAAC8500AC7770F6', X'25680BE2A9AB8FACBB80D238FB069F00D573CAE89D39E3AD746D3C503F09DE7E');
INSERT INTO command VALUES (X'019E704488007BAFA0D99FC7211B4BBA', 'acme', X'019E704488007195A445B9704BB4E33A', 1780000000000, '{"Ok":"changed"}', 5);
INSERT INTO inbox VALUES ('slack:1', 'acme', 1780000000000, NULL, '{"delivery":"slack:1","at":1780000000000,"tenant":"acme","request":"019e7044-8800-7195-a445-b9704bb4e33a","message":null,"reply":null,"act":{"act":"take_back","identity":"slack:T1/alice"}}');
INSERT INTO card VALUES (X'019E704488007195A445B9704BB4E33A', 'slack', 'C-ops', '', 'acme', 2, 1780000000000, '{"tenant":"acme","request":"019e7044-8800-7195-a445-b9704bb4e33a","place":{"surface":"slack","channel":"C-ops"},"wanted":2,"messages":[{"message":{"channel":"C-ops","id":"v42"},"revision":1}],"attempt":null,"tries":0,"next_try_at":1780000000000,"given_up":null}');
INSERT INTO card VALUES (X'019E7044880076A99190169323FA64E5', 'slack', 'C-ops', '', 'acme', 1, 1780000000000, '{"tenant":"acme","request":"019e7044-8800-76a9-9190-169323fa64e5","place":{"surface":"slack","channel":"C-ops"},"wanted":1,"messages":[],"attempt":null,"tries":0,"next_try_at":1780000000000,"given_up":null}');
INSERT INTO card_message VALUES ('acme', 'C-ops', 'v42', 'slack', X'019E704488007195A445B9704BB4E33A');
INSERT INTO outbox VALUES (1, 'acme', 1780000000000, 0, 1780000000000, NULL, NULL, '{"tenant":"acme","to":{"account":{"surface":"slack","channel":"C-ops","identity":"slack:T1/viewer"}},"notice":{"notice":"refused","request":"019e7044-8800-7195-a445-b9704bb4e33a","code":"VRVC-DW","command":"approve","refusal":{"code":"wrong_role","needs":["releaser"]}}}');
INSERT INTO credential VALUES ('acme', 'agent-key', X'112A8D31E2B0FB3F207031FEF32F7A7245F787B4D4E85B45F65AA5B83435368C', 1780000000000, NULL, '{"id":"agent-key","tenant":"acme","agent":"cleaner","scopes":["propose","audit"],"may_act_for_others":true,"secret_hash":"112a8d31e2b0fb3f207031fef32f7a7245f787b4d4e85b45f65aa5b83435368c","created_at":1780000000000,"expires_at":1780003600000,"revoked_at":null}');
INSERT INTO agent_run VALUES ('acme', 'r1', 's1', 1780000000000, 0, 1, '{"step":1}');
INSERT INTO session_event VALUES ('acme', 's1', 1, '{}');
