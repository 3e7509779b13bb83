import {
  answerFromText,
  type Question,
  type QuestionAnswer,
  takesOwnWords,
} from '@baton/protocol/values';
import { asked, oneLine, style } from '../view/style.ts';
import { wrapForTerminal } from '../view/word-wrap.ts';
import type { Keyboard } from './keyboard.ts';

const out = process.stdout;
/** A line for less than this is no place to type an answer. */
const ROOM = 10;

/** The person's answers; nothing when they pressed Ctrl-C. */
export async function askQuestions(
  questions: readonly Question[],
  keyboard: Keyboard,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const answer = await askOne(question, keyboard, signal);
    if (answer === 'interrupted') return undefined;
    if (answer === 'declined') return { declined: true, reason: 'The user did not answer.' };
    answers[question.id] = answer;
  }
  return { answers };
}

async function askOne(
  question: Question,
  keyboard: Keyboard,
  signal: AbortSignal,
): Promise<string[] | 'declined' | 'interrupted'> {
  const words = wrapForTerminal(out, `? ${asked(question.question)}`).slice(2);
  out.write(`${style(out, 'yellow', '?')} ${style(out, 'bold', words)}\n`);
  question.options.forEach(({ label, description }, index) => {
    const more = description ? style(out, 'dim', ` — ${inLine(description)}`) : '';
    out.write(`  ${style(out, 'bold', `[${index + 1}]`)} ${inLine(label)}${more}\n`);
  });
  for (;;) {
    const typed = await keyboard.line(promptOf(question), signal);
    if (typeof typed !== 'object') return typed;
    const text = typed.text.trim();
    const answer = answerFromText(question, text);
    if (answer) return answer;
    const wrong = text === '' ? '' : `Invalid choice: ${oneLine(text, 20)}. `;
    const hint = `  ${wrong}Press Ctrl-D to skip.\n`;
    out.write(style(out, 'dim', wrapForTerminal(out, hint)));
  }
}

/** Each option has its own line, and cannot imitate another option. */
function inLine(text: string): string {
  return asked(text).replaceAll('\n', ' ⏎ ');
}

/** The prefix of the input line; on a narrow terminal the text is above it. */
function promptOf(question: Question): string {
  const label = `  ${wanted(question)}: `;
  if (label.length + ROOM <= (out.columns || 80)) return label;
  out.write(wrapForTerminal(out, `${label.trimEnd()}\n`));
  return '  > ';
}

function wanted(question: Question): string {
  if (question.options.length === 0) return 'Your answer';
  const number = question.multiple ? 'Numbers, separated by commas' : 'Number';
  return takesOwnWords(question) ? `${number}, or your own answer` : number;
}
