export { MENTIONS, type MentionRules, neutralizeMentions } from './text/mentions.ts';
export { splitMessage } from './text/split-message.ts';
export {
  type ReplayList,
  type SignatureProblem,
  type SignedRequest,
  signatureProblem,
  signWebhook,
  TOLERANCE_MS,
  verifyWebhook,
} from './webhook/signature.ts';
