import {
  actionLine,
  beginningOf,
  type EventOf,
  escapedJson,
  type PermissionRequest,
  type Question,
  shortened,
  showUnseen,
  showUnseenInLine,
  showUnseenInText,
  takesOwnWords,
} from '@baton/protocol';
import type { ChannelAdapter } from '../channel-adapter.ts';
import { fitMessage } from '../text/fit-message.ts';
import { neutralizeMentions } from '../text/mentions.ts';

const HEADLINE = 150;
const REASON = 300;
/** As much of the details as a message has room for; the rest is in a file. */
const DETAILS = 1200;
/** Room for the line with the outcome of a request. */
const OUTCOME = 280;
const IN_FILE = 'The file has all of it.';

export type RequestText = {
  /** Mentions no user, and leaves room for the outcome. */
  text: string;
  /** All of it, if the text does not contain it. */
  file?: string | undefined;
};

type Platform = Pick<ChannelAdapter, 'limits' | 'mentions'>;

/** Formats a permission request as a message. Users should not have to allow an action that they cannot read. */
export function permissionText(
  request: PermissionRequest,
  cwd: string,
  { limits, mentions }: Platform,
): RequestText {
  // Before anything is measured, because it makes texts longer.
  const plain = (text: string) => neutralizeMentions(text, mentions);
  const headline = shortened(plain(actionLine(request.tool, request.action, cwd)), HEADLINE);
  const reason = shortened(plain(showUnseenInLine(request.reason ?? '')), REASON);
  const details = detailsOf(request);
  const room = Math.min(DETAILS, limits.messageLength - HEADLINE - REASON - OUTCOME - 70);
  const safe = plain(details.replaceAll('```', "'''"));
  const isWhole = safe.length <= room;
  const shown = isWhole ? safe : `${beginningOf(safe, Math.max(room, 0))}\n…`;
  const text = [
    `🔒 Allow ${code(headline)}?`,
    ...(reason === '' ? [] : [code(reason)]),
    `\`\`\`\n${shown}\n\`\`\``,
    ...(isWhole ? [] : [IN_FILE]),
  ].join('\n');
  return isWhole ? { text } : { text, file: details };
}

function detailsOf({ action, input }: PermissionRequest): string {
  if (action.type === 'command') {
    const where = action.cwd === undefined ? '' : `\n# in ${showUnseen(action.cwd)}`;
    return `${showUnseen(action.command)}${where}`;
  }
  if (action.type !== 'file.edit') return escapedJson(input ?? action);
  const changes = action.changes.map(({ path, newPath, kind, diff = '' }) => {
    const to = newPath === undefined ? '' : ` → ${showUnseen(newPath)}`;
    const head = `${showUnseen(path)}${to}${kind === 'delete' ? ' (deleted)' : ''}`;
    return diff === '' ? head : `${head}\n${showUnseenInText(diff)}`;
  });
  const isHidden = action.changes.some(({ kind, diff }) => !diff && kind !== 'delete');
  // What is written must be readable: without a diff it is in the input.
  return [...changes, ...(isHidden && input !== undefined ? [escapedJson(input)] : [])].join('\n');
}

/** Formats a question as a message, with numbers for users who type. */
export function questionText(question: Question, platform: Platform): RequestText {
  const options = question.options.map(({ label, description }, index) => {
    const more = description ? ` – ${description}` : '';
    return `${index + 1}. ${showUnseenInText(label)}${showUnseenInText(more)}`;
  });
  const header = question.header === undefined ? '' : `${question.header}: `;
  const asked = [`❓ ${showUnseenInText(`${header}${question.question}`)}`, ...options].join('\n');
  const how = howToAnswer(question);
  const text = neutralizeMentions(`${asked}\n${how}`, platform.mentions);
  const room = platform.limits.messageLength - OUTCOME;
  if (text.length <= room) return { text };
  const beginning = shortened(fitMessage(asked, platform), room - how.length - IN_FILE.length - 2);
  return { text: [beginning, IN_FILE, how].join('\n'), file: asked };
}

function howToAnswer(question: Question): string {
  const { options, multiple } = question;
  if (options.length === 0) return 'Answer with a message.';
  const choice = multiple ? 'Choose one or more' : 'Choose one';
  return takesOwnWords(question) ? `${choice}, or answer with a message.` : `${choice}.`;
}

/** Describes the outcome of a permission request. */
export function settledPermission(
  { decision, by, reason }: EventOf<'permission.resolved'>,
  scope: string | undefined,
  who: string | undefined,
): string {
  if (decision === 'allow') {
    return `✅ Allowed ${HOW_LONG[scope ?? 'once'] ?? 'once'}${byWhom(by, who)}`;
  }
  if (by === 'stop' || decision === 'cancelled') return '⏹️ No longer needed';
  // A person who pressed a button gave no reason, and a timeout is one.
  const hasReason = reason && by !== 'timeout' && who === undefined;
  return `🚫 Denied${byWhom(by, who)}${hasReason ? `: ${oneLine(reason)}` : ''}`;
}

/** Describes the outcome of a question. */
export function settledQuestion(
  { answers, by }: EventOf<'question.resolved'>,
  who: string | undefined,
): string {
  if (answers === undefined) {
    return by === 'stop' ? '⏹️ No longer needed' : `🚫 Not answered${byWhom(by, who)}`;
  }
  return answeredText(Object.values(answers).flat(), by, who);
}

/** That a question was answered. */
export function answeredText(
  given: readonly string[],
  by: string,
  who: string | undefined,
): string {
  return `✅ ${oneLine(given.join(', '))}${byWhom(by, who)}`;
}

const HOW_LONG: Readonly<Record<string, string>> = {
  once: 'once',
  session: 'for this session',
  always: 'always',
};

const BY: Readonly<Record<string, string>> = {
  policy: ' by a rule',
  nobody: ' because no one was there to ask',
  timeout: ' because no one answered in time',
  agent: ' by the agent itself',
};

function byWhom(by: string, who: string | undefined): string {
  if (by !== 'person') return BY[by] ?? '';
  return who === undefined ? ' elsewhere' : ` by ${who}`;
}

function oneLine(text: string): string {
  return shortened(showUnseenInLine(text), 160);
}

/** Formats text of the agent as code that it cannot break out of. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
