import { expect, onTestFinished, test, vi } from 'vitest';
import { draftSent, keepDraft, keptDraft } from './draft.ts';

test('what is written while a prompt is sent stays', () => {
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} });
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.runAllTimers();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const [one, other] = [new File([], 'one'), new File([], 'other')];
  const sent = { text: 'First.', files: [one] };
  const left = (text: string, files: File[]) => {
    keepDraft('a', { text, files });
    draftSent('a', sent);
    return keptDraft('a');
  };
  expect(left('First.', [one])).toEqual({ text: '', files: [] });
  expect(left('First. And', [one, other])).toEqual({ text: ' And', files: [other] });
  expect(left('Something else', [])).toEqual({ text: 'Something else', files: [] });
});
