export { MENTIONS, type MentionRules, neutralizeMentions } from './text/mentions.ts';
export { splitMessage } from './text/split-message.ts';
