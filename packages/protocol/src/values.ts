/**
 * The vocabulary without its schemas: all types, and the values that need no Zod, which takes longer to load than all of
 * the rest. For programs that check nothing, or not yet.
 */

import './check-node.ts';

export { checkRequests, ignorable, pendingIn, timeoutAnswer } from './agent-run.ts';
export {
  applyChainEvent,
  emptyChainState,
  foldChain,
  isAwaitingApproval,
} from './chain/chain-state.ts';
export { ConversationView, foldConversation } from './conversation/conversation-view.ts';
export { BatonError, ERROR_CODES, errorInfo } from './error.ts';
export { FEATURES } from './features.ts';
export type * from './index.ts';
export { isWorkspaceEvent, SCRIPT_CALL } from './is-workspace-event.ts';
export { longTimer } from './long-timer.ts';
export { inOneLine, withoutLastBreaks } from './one-line.ts';
export { OPTION_NAMES, RUN_OPTION_KEYS } from './option-names.ts';
export { OUTCOME_TABLE } from './outcome.ts';
export { readOutputSchema } from './output-schema.ts';
export { isWider, PERMISSION_MODES } from './permission-mode.ts';
export { answerFromText, takesOwnWords } from './question-text.ts';
export { Backoff, DEFAULT_RETRY, delay, retryErrors, withRetry } from './retry.ts';
export { placeWords, reviewPrompt } from './review/review-prompt.ts';
export { serverSentEvents, textOf } from './run-streams.ts';
export { isTaskEvent } from './session/is-task-event.ts';
export { beginningOf, shortened } from './shortened.ts';
export { actionLine } from './transcript/action-line.ts';
export { finishedWords } from './transcript/finished-words.ts';
export { usageWords } from './transcript/usage-words.ts';
export { escapedJson, showUnseen, showUnseenInLine, showUnseenInText } from './unseen.ts';
export { addUsage } from './usage-sum.ts';
export { VERSION } from './version.ts';
export { MERGE_METHODS } from './workspace/merge-methods.ts';
