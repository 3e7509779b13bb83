import { useSyncExternalStore } from 'react';
import { Kbd } from '../design/kbd.tsx';
import { isTyping } from '../design/keyboard-events.ts';

/** A key that answers a request; inactive while a text field has the focus, which takes the key then. */
export function AnswerKey({ children }: { children: string }) {
  const isInactive = useSyncExternalStore(subscribe, isTypingNow);
  return <Kbd inactive={isInactive}>{children}</Kbd>;
}

/** Says how to make the keys of a request work while the prompt has the focus. */
export function EscapeHint({ className }: { className: string | undefined }) {
  const isShown = useSyncExternalStore(subscribe, isPromptFocused);
  return isShown && <span className={className}>Esc, then y</span>;
}

function isTypingNow(): boolean {
  return isTyping(document.activeElement);
}

function isPromptFocused(): boolean {
  return document.activeElement?.matches('textarea:not([data-request] *)') ?? false;
}

function subscribe(listener: () => void): () => void {
  // While the focus moves, the page has none for a moment.
  const onBlur = () => queueMicrotask(listener);
  addEventListener('focusin', listener);
  addEventListener('focusout', onBlur);
  return () => {
    removeEventListener('focusin', listener);
    removeEventListener('focusout', onBlur);
  };
}
