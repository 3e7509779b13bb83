import { expect, onTestFinished, test, vi } from 'vitest';
import { draftSent, keepDraft, keptDraft } from './draft.ts';

/** Stubs the session storage of the tab and the events of leaving the page. */
function inBrowser() {
  const stored = new Map<string, string>();
  const page = new EventTarget();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  });
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.runAllTimers();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return { stored, leave: () => page.dispatchEvent(new Event('pagehide')) };
}

test('text written or cleared just before the page closes is saved', () => {
  const { stored, leave } = inBrowser();
  keepDraft('left', { text: 'The last words' });
  leave();
  expect([...stored.values()]).toEqual(['The last words']);
  keepDraft('left', { text: '' });
  leave();
  expect([...stored]).toEqual([]);
});

test('text written while a prompt is being sent is kept', () => {
  inBrowser();
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
