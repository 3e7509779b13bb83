import { expect, test } from 'vitest';
import { plainOutput } from './plain-output.ts';

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b[38;5;12mblue\u001b[m and \u001b[1;4mmore', 'blue and more'],
  ['\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007', 'link'],
  ['\u001b]0;title\u001b\\text', 'text'],
  ['10 %\r50 %\r100 %\ndone', '100 %\ndone'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['be\u0007ll\u0000\u009b', 'bell'],
  ['tabs\tstay', 'tabs\tstay'],
])('%j reads as %j', (text, plain) => expect(plainOutput(text)).toBe(plain));
