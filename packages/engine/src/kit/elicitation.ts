import { array, type Json, object, string } from '@baton/config/values/json';
import type { Question, RequestAnswer } from '@baton/protocol/values';

/** Reads a form that an MCP server wants filled in as questions; an address to open is a question too. */
export function elicitedQuestions(params: Json): Question[] {
  const message = string(params.message) ?? string(params.description) ?? '';
  const fields = Object.entries(object(object(params.requestedSchema).properties));
  if (fields.length === 0) {
    const question = [message, string(params.url)].filter(Boolean).join('\n');
    return [{ id: 'answer', question, options: [{ label: 'Yes' }, { label: 'No' }] }];
  }
  return fields.map(([id, schema], index) => {
    const field = object(schema);
    const words = string(field.description) ?? string(field.title);
    const options = choices(field);
    return {
      id,
      header: string(field.title),
      question: [index === 0 ? message : '', words].filter(Boolean).join('\n') || id,
      options,
      freeText: options.length === 0,
    };
  });
}

/** The filled-in form, or the refusal to fill it in. */
export function elicitationResult(params: Json, answer: RequestAnswer): Json {
  if (!('answers' in answer)) return { action: 'decline', content: null, _meta: null };
  const fields = Object.entries(object(object(params.requestedSchema).properties));
  if (fields.length === 0 && answer.answers.answer?.[0] === 'No') {
    return { action: 'decline', content: null, _meta: null };
  }
  const given = fields.flatMap(([id, schema]) => {
    const [first] = answer.answers[id] ?? [];
    return first === undefined ? [] : [[id, typed(first, object(schema).type)] as const];
  });
  return { action: 'accept', content: Object.fromEntries(given), _meta: null };
}

function choices(field: Json): Question['options'] {
  if (field.type === 'boolean') return [{ label: 'true' }, { label: 'false' }];
  return array(field.enum).map((value) => ({ label: String(value) }));
}

function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean') return text === 'true';
  if (type === 'number' || type === 'integer') return Number(text);
  return text;
}
