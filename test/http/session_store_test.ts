/** Does the store in memory do what every store of sessions must? */

import { MemorySessionStore } from "../../lib/http/mod.ts";
import { sessionStoreContract } from "../harness/session_store_contract.ts";

const store = new MemorySessionStore();

sessionStoreContract("the store in memory", () => [store, store]);
