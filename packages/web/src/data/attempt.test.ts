import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { troubleOf } from './attempt.ts';

test('an input error is shown without API terms', () => {
  const error = new BatonError('usage', 'data.name: must be short; data.config: must be there', {
    hint: 'data takes: name string; config object.',
  });
  expect(troubleOf(error)).toEqual({ message: 'name: must be short; config: must be there' });
});

test('other errors are shown with their hint', () => {
  const error = new BatonError('conflict', 'There is one already.', {
    hint: 'Choose another name.',
  });
  const { message, hint } = error;
  expect(troubleOf(error)).toEqual({ message, hint });
  expect(troubleOf(new Error('Odd.'))).toEqual({ message: 'Odd.' });
});
