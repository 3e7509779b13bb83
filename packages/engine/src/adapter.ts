/** Entry point for authors of backends: the types of a backend, and the kit of parts that backends share. */
import type { BackendEntry } from './definition/backend-entry.ts';

export {
  array,
  isObject,
  type Json,
  number,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';
export { BatonError, type ErrorInfo, errorInfo } from '@baton/protocol/values';
export type { ProviderOption, ProviderOptions } from './definition/backend.ts';
export {
  type Adapter,
  type BackendEntry,
  type BackendSpec,
  type Credentials,
  SPEC_VERSION,
  type Surroundings,
} from './definition/backend-entry.ts';
export type {
  Dialect,
  DialectEntry,
  DialectOut,
  EventDraft,
  PromptInput,
  StreamEnd,
  Verdict,
} from './definition/dialect.ts';
export {
  type AnyDriver,
  type Channel,
  type ConnectInput,
  type ConnectionDriver,
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
  type StopTimes,
  withholdsSettings,
} from './definition/driver.ts';
export {
  type CapabilityList,
  capabilities,
  emulated,
  mapped,
  unsupported,
} from './kit/capabilities.ts';
export { type CredentialPlace, searchCredentials } from './kit/credentials.ts';
export { readJsonFile, readOptionalJson } from './kit/json-file.ts';
export {
  type JsonRpcOptions,
  JsonRpcPeer,
  type RpcAnswer,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcResponse,
  readRpcMessage,
} from './kit/json-rpc.ts';
export {
  type HostedLibrary,
  hostLibrary,
  type LibraryStart,
  libraryDriver,
} from './kit/library-host.ts';
export { MessageAssembly } from './kit/message-assembly.ts';
export { agentWarning, cannotAsk } from './kit/notices.ts';
export { PendingRequests } from './kit/pending-requests.ts';
export {
  each,
  fitsArgument,
  flag,
  type PromptArgument,
  promptArgument,
} from './kit/prompt-argument.ts';
export { PROVIDER_WORDS, providerErrorCode, STATUS_CODES } from './kit/provider-errors.ts';
export { type WebSocketInput, webSocketChannel } from './kit/web-socket.ts';
export { actionOf } from './normalize/actions.ts';
export { type EndFacts, judgeEnd, type WordsRule } from './normalize/end-verdict.ts';
export { defineBackend } from './run/define-backend.ts';

/** Kit that a module gets to make its backend: all values of this entry point. */
export type AdapterKit = typeof import('./adapter.ts');

/** Default export of a module that brings a backend: the entry, or a function that makes it with the kit. */
export type BackendModule = BackendEntry | ((kit: AdapterKit) => BackendEntry);
