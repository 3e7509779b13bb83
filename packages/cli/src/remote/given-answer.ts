import {
  answerFromText,
  BatonError,
  type Question,
  type RequestAnswer,
} from '@baton/protocol/values';
import { isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { oneLine } from '../view/style.ts';

const SCOPES = ['once', 'session', 'always'] as const;

/** The answer to a permission request from the command line. */
export function permissionAnswer(parsed: Parsed, word: string | undefined): RequestAnswer {
  const scope = textOf(parsed, 'scope');
  const reason = textOf(parsed, 'reason');
  const input = textOf(parsed, 'input');
  if (textsOf(parsed, 'choose').length > 0) throw wrong('--choose is only valid for questions.');
  if (word === 'deny') {
    if (scope !== undefined || input !== undefined) {
      throw wrong('--scope and --input require "allow".');
    }
    const stop = isSet(parsed, 'stop');
    return {
      decision: 'deny',
      ...(reason === undefined ? {} : { reason }),
      ...(stop ? { stop } : {}),
    };
  }
  if (word !== 'allow') throw wrong('Expected "allow" or "deny".');
  if (reason !== undefined || isSet(parsed, 'stop')) {
    throw wrong('--reason and --stop require "deny".');
  }
  return {
    decision: 'allow',
    scope: scopeOf(scope),
    ...(input === undefined ? {} : { input: inputOf(input) }),
  };
}

/** The answers to questions from the command line, one --choose per question. */
export function questionAnswer(
  parsed: Parsed,
  word: string | undefined,
  questions: readonly Question[],
): RequestAnswer {
  const reason = textOf(parsed, 'reason');
  if (word === 'deny') return { declined: true, ...(reason === undefined ? {} : { reason }) };
  const chosen = textsOf(parsed, 'choose');
  if (word !== undefined || chosen.length !== questions.length) throw wanted(questions);
  const answers = questions.map((question, index) => {
    const text = chosen[index] ?? '';
    return [question.id, labelled(question, text) ?? answerFromText(question, text)] as const;
  });
  if (answers.some(([, answer]) => answer === undefined)) throw wanted(questions);
  return { answers: Object.fromEntries(answers) as Record<string, string[]> };
}

/** A label selects its option, even if free text is accepted. */
function labelled({ options }: Question, text: string): string[] | undefined {
  const found = options.find(({ label }) => label.toLowerCase() === text.trim().toLowerCase());
  return found && [found.label];
}

function wanted(questions: readonly Question[]): BatonError {
  const lines = questions.map(({ question, options }) => {
    const labels = options.map(({ label }, index) => `${index + 1} ${label}`).join(', ');
    return `\n  ${oneLine(question, 200)}${labels === '' ? '' : ` (${oneLine(labels, 200)})`}`;
  });
  const each =
    questions.length === 1 ? '--choose with a number or text' : 'one --choose per question';
  return new BatonError('usage', `This is a question; answer it with ${each}, or "deny" it.`, {
    hint: `Question:${lines.join('')}`,
  });
}

function scopeOf(text = 'once'): (typeof SCOPES)[number] {
  const scope = SCOPES.find((each) => each === text);
  if (scope) return scope;
  throw wrong(`--scope must be one of ${SCOPES.join(', ')}, not "${text}".`);
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BatonError('usage', '--input is not JSON.', { cause });
  }
}

function wrong(message: string): BatonError {
  return new BatonError('usage', message, { hint: 'See "baton answer --help".' });
}
