import { pathToFileURL } from 'node:url';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { BatonError, ERROR_CODES, type ErrorCode, errorInfo } from './error.ts';
import { errorInfoSchema } from './error-info.ts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe.each(codes)('%s', (code) => {
  test('has a meaning and a hint that are whole sentences', () => {
    expect(ERROR_CODES[code].meaning).toMatch(/^[A-Z].*\.$/);
    expect(ERROR_CODES[code].hint).toMatch(/^[A-Z].*\.$/);
  });

  test('is the same as a thrown error and as a plain one', () => {
    const thrown = new BatonError(code, 'What happened.');
    expect(thrown.toJSON()).toEqual(errorInfo(code, 'What happened.'));
    expect(thrown.toJSON()).toEqual({
      code,
      message: 'What happened.',
      hint: ERROR_CODES[code].hint,
      retryable: ERROR_CODES[code].retryable,
    });
    expect(errorInfoSchema.parse(JSON.parse(JSON.stringify(thrown)))).toEqual(thrown.toJSON());
  });
});

test('the place that raises an error can say it better', () => {
  const cause = new Error('below');
  const options = { hint: 'Do this.', retryable: true, cause };
  const error = new BatonError('usage', 'm', options);
  expect(error.toJSON()).toMatchObject({ hint: 'Do this.', retryable: true });
  expect(error.cause).toBe(cause);
  expect(errorInfo('usage', 'm', options)).toMatchObject({ hint: 'Do this.', retryable: true });
});

test('an error without a cause has none', () => {
  expect('cause' in new BatonError('usage', 'm')).toBe(false);
});

test('is an Error with a name and a stack, for those who know nothing of Baton', () => {
  const error = new BatonError('usage', 'The message.');
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toBe('BatonError: The message.');
  expect(error.stack).toContain('error.test.ts');
});

test('an error of another copy of the package is recognised', async () => {
  const copy = `${pathToFileURL(`${import.meta.dirname}/error.ts`)}?copy`;
  const other: { BatonError: typeof BatonError } = await import(copy);
  const foreign = new other.BatonError('usage', 'm');
  expect(foreign).not.toBeInstanceOf(BatonError);
  expect(BatonError.is(foreign)).toBe(true);
});

test.each([undefined, null, 'usage', 7, new Error('usage'), { code: 'usage', message: 'm' }])(
  '%o is not a Baton error',
  (value) => {
    expect(BatonError.is(value)).toBe(false);
  },
);

test('an unknown code of a newer version travels, and known ones complete in an editor', () => {
  const info = { code: 'sun_exploded', message: 'm', retryable: false };
  expect(errorInfoSchema.parse(info)).toEqual(info);
  expectTypeOf<'rate_limited'>().toExtend<ErrorCode>();
  expectTypeOf<'sun_exploded'>().not.toExtend<ErrorCode>();
});
