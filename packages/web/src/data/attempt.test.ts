import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { troubleOf } from './attempt.ts';

test('what is wrong with the input of a call is told without the words of the API', () => {
  const error = new BatonError('usage', 'data.name: must be short; data.config: must be there', {
    hint: 'data takes: name string; config object.',
  });
  expect(troubleOf(error)).toEqual({ message: 'name: must be short; config: must be there' });
});

test('other trouble is told as it is, with what to do about it', () => {
  const error = new BatonError('conflict', 'There is one already.', {
    hint: 'Choose another name.',
  });
  const { message, hint } = error;
  expect(troubleOf(error)).toEqual({ message, hint });
  expect(troubleOf(new Error('Odd.'))).toEqual({ message: 'Odd.' });
});
