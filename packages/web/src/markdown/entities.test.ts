import { expect, test } from 'vitest';
import { withoutEntities } from './entities.ts';

test.each([
  ['a &amp; b', 'a & b'],
  ['&lt;script&gt;', '<script>'],
  ['&#65;&#x42;', 'AB'],
  ['&nothing; & &#0; &#x110000;', '&nothing; & &#0; &#x110000;'],
])('%s becomes %s', (text, plain) => expect(withoutEntities(text)).toBe(plain));
