import { actionLine, type PermissionScope } from '@baton/protocol';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { isComposing } from '../design/keyboard-events.ts';
import { LiteralText } from '../design/literal-text.tsx';
import { useStable } from '../guard/use-stable.ts';
import { AlwaysForm } from './always-form.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import { AnswerKey, EscapeHint } from './answer-key.tsx';
import { useAnswerKeys } from './answer-keys.ts';
import type { AskedPermission } from './asked.ts';
import { DenyForm } from './deny-form.tsx';
import { EditForm } from './edit-form.tsx';
import { useHasKeys } from './has-keys.ts';
import { RequestedAction } from './requested-action.tsx';
import styles from './requests.module.css';
import { SessionForm } from './session-form.tsx';
import { useAnswer } from './use-answer.ts';

const FIELDS = 'input, textarea';
const FORMS = ['session', 'always', 'deny', 'edit'] as const;
type Form = (typeof FORMS)[number];
const isForm = (kept: unknown) => FORMS.some((each) => each === kept);

/** Asks whether an agent may do something. */
export function PermissionCard({
  asked,
  cwd,
}: {
  asked: AskedPermission;
  cwd: string | undefined;
}) {
  const { request } = asked;
  const may = useMay('member');
  const card = useRef<HTMLElement>(null);
  const [form, setForm] = useAnswerDraft<Form | undefined>(asked, 'form', undefined, isForm);
  const [isNew, setNew] = useState(false);
  const open = (next: Form | undefined) => {
    setForm(next);
    setNew(true);
  };
  const { isSent, answer } = useAnswer(asked);
  const isStable = useStable(card, form);
  const press = { busy: isSent, unstable: !isStable };
  const hasKeys = useHasKeys(asked);
  const allow = (scope: PermissionScope, pattern?: string) =>
    answer({ decision: 'allow', scope }, pattern);
  const keys = { hasKeys: hasKeys && may, isFree: !isSent && isStable && form === undefined };
  // There is no other plan that an answer about this one could hold for.
  const isRepeatable = request.action.type !== 'plan';
  const isReady = useAnswerKeys(keys, card, {
    y: () => allow('once'),
    ...(isRepeatable && { s: () => open('session'), a: () => open('always') }),
    d: () => open('deny'),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (form === undefined || event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
    // Otherwise the page would ask whether to stop the agent.
    event.stopPropagation();
    open(undefined);
  };
  // The second press of a double click must not take the focus from the form that the first one opened.
  const onMouseDown = (event: MouseEvent) => {
    if (form === undefined || !isNew || isStable) return;
    if (event.target instanceof Element && event.target.closest(FIELDS)) return;
    event.preventDefault();
  };
  const common = { asked, ...press, isNew, onBack: () => open(undefined) };
  return (
    <section
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-request=""
      data-ready={isReady || undefined}
      aria-label="Permission request"
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
    >
      <header className={styles.head}>
        <Icon name="shield" />
        <div role="status">
          <h3>Allow this action?</h3>
        </div>
        {hasKeys && may && form === undefined && <EscapeHint className={styles.escape} />}
        <span className={`cut-line ${styles.tool}`}>
          <LiteralText text={request.tool} />
        </span>
      </header>
      {request.reason && (
        <p className={styles.reason} dir="auto">
          {request.reason}
        </p>
      )}
      <RequestedAction request={request} words={actionLine(request.tool, request.action, cwd)} />
      {!may && <p className={styles.reason}>Only members and owners can respond.</p>}
      {may && form === undefined && (
        <div className={styles.ways} data-guarded="">
          <Button look="primary" {...press} onClick={() => allow('once')}>
            Allow once {hasKeys && <AnswerKey>y</AnswerKey>}
          </Button>
          {isRepeatable && (
            <>
              <Button {...press} onClick={() => open('session')}>
                Allow for this session… {hasKeys && <AnswerKey>s</AnswerKey>}
              </Button>
              <Button {...press} onClick={() => open('always')}>
                Always allow… {hasKeys && <AnswerKey>a</AnswerKey>}
              </Button>
            </>
          )}
          {request.editable && request.input !== undefined && (
            <Button {...press} onClick={() => open('edit')}>
              Edit…
            </Button>
          )}
          <Button look="danger" {...press} onClick={() => open('deny')}>
            Deny… {hasKeys && <AnswerKey>d</AnswerKey>}
          </Button>
        </div>
      )}
      {form === 'session' && <SessionForm {...common} onAllow={() => allow('session')} />}
      {form === 'always' && (
        <AlwaysForm {...common} cwd={cwd} onAllow={(pattern) => allow('always', pattern)} />
      )}
      {form === 'deny' && (
        <DenyForm
          {...common}
          onDeny={(reason, stop) =>
            answer({
              decision: 'deny',
              ...(reason === '' ? {} : { reason }),
              ...(stop ? { stop } : {}),
            })
          }
        />
      )}
      {form === 'edit' && (
        <EditForm
          {...common}
          onAllow={(input) => answer({ decision: 'allow', scope: 'once', input })}
        />
      )}
    </section>
  );
}
