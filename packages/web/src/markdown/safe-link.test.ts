import { expect, test } from 'vitest';
import { safeLink } from './safe-link.ts';

test.each(['https://example.org/a?b#c', 'http://example.org', 'mailto:a@example.org'])(
  '%s may be followed',
  (address) => expect(safeLink(address)).toBe(address),
);

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//example.org',
  '/app/settings',
  'https://',
])('%j is only text', (address) => expect(safeLink(address)).toBeUndefined());
