import { expect, test } from 'vitest';
import { changesFor, choiceOf, ownChoice, withChange } from './run-choice.ts';

const SESSION = { backend: 'claude', model: 'big', permission_mode: 'ask' as const };

test('another agent gets neither the model nor the options of the one before', () => {
  const choice = { ...choiceOf(SESSION), options: { maxTurns: 3 } };
  expect(withChange(choice, { backend: 'codex' })).toEqual({
    ...{ backend: 'codex', model: '', permissionMode: 'ask', options: {} },
  });
});

test('only explicit choices are sent, so concurrent changes are kept', () => {
  const own = ownChoice(SESSION, { permissionMode: 'auto', model: 'big' });
  expect(own).toEqual({ permissionMode: 'auto' });
  expect(choiceOf({ ...SESSION, model: 'small' })).toMatchObject({ model: 'small' });
  expect(changesFor(own)).toEqual({ permission_mode: 'auto' });
});

test('choosing another agent and going back changes nothing', () => {
  const away = ownChoice(SESSION, withChange({}, { backend: 'codex' }));
  expect(changesFor(away)).toEqual({ backend: 'codex', model: null });
  expect(ownChoice(SESSION, withChange(away, { backend: 'claude' }))).toEqual({});
});

test('the model can be left to the agent, and options are for one prompt', () => {
  const own = ownChoice(SESSION, { model: '', options: { maxTurns: 3 } });
  expect(own).toEqual({ model: '', options: { maxTurns: 3 } });
  expect(changesFor(own)).toEqual({ model: null });
});
