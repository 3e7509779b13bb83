import { actionLine, type PermissionScope } from '@baton/protocol';
import { useRef, useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { useRestedThere } from '../data/rested.ts';
import { Button } from '../design/button.tsx';
import { Exact } from '../design/exact.tsx';
import { Icon } from '../design/icon.tsx';
import { Kbd } from '../design/kbd.tsx';
import { AlwaysForm } from './always-form.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import { useAnswerKeys } from './answer-keys.ts';
import type { AskedPermission } from './asked.ts';
import { DenyForm } from './deny-form.tsx';
import { EditForm } from './edit-form.tsx';
import { useHasKeys } from './has-keys.ts';
import { isWholeTool } from './pattern.ts';
import { RequestedAction } from './requested-action.tsx';
import styles from './requests.module.css';
import { useAnswer } from './use-answer.ts';

const FORMS = ['always', 'deny', 'edit'] as const;
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
  const isRested = useRestedThere(card);
  const busy = isSent || !isRested;
  const hasKeys = useHasKeys(asked);
  const allow = (scope: PermissionScope) => answer({ decision: 'allow', scope });
  const keys = { hasKeys: hasKeys && may, isFree: !busy && form === undefined };
  const isReady = useAnswerKeys(keys, card, {
    y: () => allow('once'),
    s: () => allow('session'),
    a: () => open('always'),
    d: () => open('deny'),
  });
  const common = { asked, busy, isNew, onBack: () => open(undefined) };
  return (
    <section
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-ready={isReady || undefined}
      aria-label="The agent asks for permission"
    >
      <header className={styles.head}>
        <Icon name="shield" />
        <div role="status">
          <h3>May the agent do this?</h3>
        </div>
        <span className={`cut-line ${styles.tool}`}>
          <Exact text={request.tool} />
        </span>
      </header>
      {request.reason && (
        <p className={styles.reason} dir="auto">
          {request.reason}
        </p>
      )}
      <RequestedAction request={request} words={actionLine(request.tool, request.action, cwd)} />
      {!may && <p className={styles.reason}>Members and owners can answer this.</p>}
      {may && form === undefined && (
        <div className={styles.ways}>
          <Button look="primary" busy={busy} onClick={() => allow('once')}>
            Allow once {hasKeys && <Kbd>y</Kbd>}
          </Button>
          <Button busy={busy} onClick={() => allow('session')}>
            {isWholeTool(request) ? 'Any use in this session' : 'For this session'}{' '}
            {hasKeys && <Kbd>s</Kbd>}
          </Button>
          <Button busy={busy} onClick={() => open('always')}>
            Always … {hasKeys && <Kbd>a</Kbd>}
          </Button>
          {request.editable && request.input !== undefined && (
            <Button busy={busy} onClick={() => open('edit')}>
              Edit …
            </Button>
          )}
          <Button look="danger" busy={busy} onClick={() => open('deny')}>
            Deny … {hasKeys && <Kbd>d</Kbd>}
          </Button>
        </div>
      )}
      {form === 'always' && (
        <AlwaysForm
          {...common}
          cwd={cwd}
          onAllow={(pattern) => answer({ decision: 'allow', scope: 'always' }, pattern)}
        />
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
