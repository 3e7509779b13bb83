import { expect, test } from 'vitest';
import { configOf, fieldsOf } from './server-config.ts';

test.each([
  { command: 'npx', args: ['-y', 'server', 'two words'], env: { TOKEN: '***' } },
  { command: 'server' },
  { url: 'https://mcp.example', headers: { Authorization: '***' } },
  { url: 'https://mcp.example', type: 'sse' },
  { url: 'https://mcp.example', type: 'http', auth: { b: '***' } },
])('unchanged values are sent as received: %j', (config) => {
  expect(configOf(fieldsOf(config), config)).toEqual(config);
});

test('a variable without a name is reported', () => {
  expect(() => configOf({ ...fieldsOf(), command: 'a', env: 'TOKEN' })).toThrow('NAME=value');
});
