import {
  type PermissionRequest,
  type Question,
  type RequestAnswer,
  shortened,
} from '@baton/protocol';
import type { Button, ChannelAdapter } from '../channel-adapter.ts';
import { requestValue } from './button-values.ts';

/** The choices of a question besides its options, which are numbers. */
export const DONE = 'done';
export const SKIP = 'skip';

type PermissionChoice = {
  readonly id: string;
  readonly label: string;
  readonly style: Button['style'];
  readonly answer: RequestAnswer;
};

/** The same scopes as on the page. */
export function permissionChoices({ scopes }: PermissionRequest): PermissionChoice[] {
  const allow = (id: 'once' | 'session' | 'always', label: string): PermissionChoice => ({
    id,
    label,
    style: id === 'once' ? 'primary' : 'secondary',
    answer: { decision: 'allow', scope: id },
  });
  return [
    allow('once', 'Allow once'),
    ...(scopes.includes('session') ? [allow('session', 'Allow for this session')] : []),
    ...(scopes.includes('always') ? [allow('always', 'Always allow')] : []),
    {
      id: 'deny',
      label: 'Deny',
      style: 'danger',
      answer: { decision: 'deny', reason: 'Denied in the chat.' },
    },
  ];
}

export function permissionButtons(key: string, choices: readonly PermissionChoice[]): Button[] {
  return choices.map(({ id, label, style }) => ({ label, style, value: requestValue(key, id) }));
}

/** The options of a question, if there is room for all of them. They have numbers, which can be typed instead. */
export function questionButtons(
  { limits }: ChannelAdapter,
  key: string,
  { options, multiple }: Question,
  marked: ReadonlySet<string>,
): Button[] {
  const room = limits.buttonsPerRow * limits.buttonRows;
  const skip: Button = { label: 'Skip', style: 'secondary', value: requestValue(key, SKIP) };
  if (options.length + 2 > room) return room > 0 ? [skip] : [];
  const choices = options.map(({ label }, index): Button => {
    const isMarked = marked.has(label);
    const text = `${isMarked ? '✓ ' : ''}${label.trim() || index + 1}`;
    return {
      label: shortened(text, limits.buttonLabelLength),
      style: isMarked ? 'primary' : 'secondary',
      value: requestValue(key, String(index)),
    };
  });
  const done: Button = { label: 'Done', style: 'primary', value: requestValue(key, DONE) };
  return multiple ? [...choices, done, skip] : [...choices, skip];
}

/** Lays out buttons in the rows of a platform. */
export function inRows(
  buttons: readonly Button[],
  { limits: { buttonsPerRow } }: ChannelAdapter,
): Button[][] {
  const rows: Button[][] = [];
  if (buttonsPerRow === 0) return rows;
  for (let at = 0; at < buttons.length; at += buttonsPerRow) {
    rows.push(buttons.slice(at, at + buttonsPerRow));
  }
  return rows;
}
