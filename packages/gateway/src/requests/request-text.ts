import {
  actionLine,
  type EventOf,
  escapedJson,
  type PermissionRequest,
  type Question,
  shortened,
  showUnseen,
  showUnseenInText,
  takesOwnWords,
} from '@baton/protocol';

const HEADLINE = 150;
/** As much of the details as a message has room for; the rest is in a file. */
const DETAILS = 1200;

export type RequestText = {
  text: string;
  /** All details, if the text does not contain them. */
  file?: string | undefined;
};

/** A permission request as a message. Nobody should have to allow what they cannot read. */
export function permissionText(request: PermissionRequest, cwd: string): RequestText {
  const headline = shortened(actionLine(request.tool, request.action, cwd), HEADLINE);
  const details = detailsOf(request);
  const reason = request.reason === undefined ? [] : [shortened(request.reason, 300)];
  const shown = details.length <= DETAILS ? details : `${details.slice(0, DETAILS)}\n…`;
  const text = [`🔒 Allow ${code(headline)}?`, ...reason, block(shown)];
  if (shown === details) return { text: text.join('\n') };
  return { text: [...text, 'The file has all of it.'].join('\n'), file: details };
}

function detailsOf({ action, input }: PermissionRequest): string {
  if (action.type === 'command') {
    const where = action.cwd === undefined ? '' : `\n# in ${showUnseen(action.cwd)}`;
    return `${showUnseen(action.command)}${where}`;
  }
  if (action.type !== 'file.edit') return escapedJson(input ?? action);
  return action.changes
    .map(({ path, newPath, kind, diff = '' }) => {
      const to = newPath === undefined ? '' : ` → ${showUnseen(newPath)}`;
      const head = `${showUnseen(path)}${to}${kind === 'delete' ? ' (deleted)' : ''}`;
      return diff === '' ? head : `${head}\n${showUnseenInText(diff)}`;
    })
    .join('\n');
}

/** A question as a message, with numbers for those who type. */
export function questionText(question: Question): string {
  const options = question.options.map(({ label, description }, index) => {
    const more = description ? ` – ${description}` : '';
    return `${index + 1}. ${showUnseenInText(label)}${showUnseenInText(more)}`;
  });
  const header = question.header === undefined ? '' : `${question.header}: `;
  return [
    `❓ ${showUnseenInText(`${header}${question.question}`)}`,
    ...options,
    howToAnswer(question),
  ].join('\n');
}

function howToAnswer(question: Question): string {
  const { options, multiple } = question;
  if (options.length === 0) return 'Answer with a message.';
  const choice = multiple ? 'Choose one or more' : 'Choose one';
  return takesOwnWords(question) ? `${choice}, or answer with a message.` : `${choice}.`;
}

/** How a permission request was settled. */
export function settledPermission(
  { decision, by, reason }: EventOf<'permission.resolved'>,
  scope: string | undefined,
  who: string | undefined,
): string {
  if (decision === 'allow') {
    return `✅ Allowed ${HOW_LONG[scope ?? 'once'] ?? 'once'}${byWhom(by, who)}`;
  }
  if (by === 'stop' || decision === 'cancelled') return '⏹️ No longer needed';
  const why = reason && by !== 'timeout' ? `: ${shortened(reason, 200)}` : '';
  return `🚫 Denied${byWhom(by, who)}${why}`;
}

/** How a question was settled. */
export function settledQuestion(
  { answers, by }: EventOf<'question.resolved'>,
  who: string | undefined,
): string {
  if (answers === undefined) {
    return by === 'stop' ? '⏹️ No longer needed' : `🚫 Not answered${byWhom(by, who)}`;
  }
  const given = Object.values(answers).flat().join(', ');
  return `✅ ${shortened(given, 300)}${byWhom(by, who)}`;
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

/** Text of the agent as code, out of which it cannot break. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

function block(text: string): string {
  return `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``;
}
