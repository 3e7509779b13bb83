import { type FormEvent, type ReactNode, useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { CheckField, TextArea, TextField } from '../design/field.tsx';
import { isComposing } from '../shell/keys.ts';
import { useAnswerDraft } from './answer-draft.ts';
import type { AskedPermission } from './asked.ts';
import { isWholeTool, patternOf } from './pattern.ts';
import styles from './requests.module.css';

type Common = {
  asked: AskedPermission;
  busy: boolean;
  /** Whether somebody has opened it just now: one that comes back into view must not take the focus. */
  isNew: boolean;
  onBack: () => void;
};

/** Asks what exactly is allowed from now on, in every session of the folder. */
export function AlwaysForm({
  cwd,
  onAllow,
  ...common
}: Common & { cwd: string | undefined; onAllow: (pattern: string | undefined) => void }) {
  const { asked, isNew } = common;
  const { request } = asked;
  const isOwner = useMay('owner');
  const exact = patternOf(request);
  const [pattern, setPattern] = useAnswerDraft(asked, 'pattern', exact ?? '');
  const where = `in every session of ${cwd ?? 'its folder'}.`;
  const hint = `For ${request.tool}, ${where}`;
  return (
    <Form
      {...common}
      words="Always allow"
      onSubmit={() => onAllow(pattern === (exact ?? '') ? undefined : pattern)}
    >
      {exact === undefined ? (
        <p>
          {isWholeTool(request)
            ? `Every use of ${request.tool}, whatever its arguments, ${where}`
            : `Exactly the same again. ${hint}`}
        </p>
      ) : (
        <TextField
          label="What is allowed"
          hint={
            isOwner
              ? `${hint} A * stands for anything.`
              : `${hint} Owners can allow more with a pattern.`
          }
          value={pattern}
          onChange={({ target }) => setPattern(target.value)}
          readOnly={!isOwner}
          dir="ltr"
          autoFocus={isNew}
          required
        />
      )}
    </Form>
  );
}

/** Asks why not, which the agent is told. */
export function DenyForm({
  onDeny,
  ...common
}: Common & { onDeny: (reason: string, stop: boolean) => void }) {
  const { asked, isNew } = common;
  const [reason, setReason] = useAnswerDraft(asked, 'reason', '');
  const [stop, setStop] = useAnswerDraft(asked, 'stop', false);
  return (
    <Form {...common} words="Deny" onSubmit={() => onDeny(reason.trim(), stop)}>
      <TextField
        label="Why not? The agent is told so."
        placeholder="You can leave it empty"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        dir="auto"
        autoFocus={isNew}
      />
      <CheckField
        label="End the turn"
        checked={stop}
        onChange={({ target }) => setStop(target.checked)}
      />
    </Form>
  );
}

/** Lets a person change what the agent wants to do, and allows that once. */
export function EditForm({ onAllow, ...common }: Common & { onAllow: (input: unknown) => void }) {
  const { asked, isNew } = common;
  const atFirst = JSON.stringify(asked.request.input, null, 2);
  const [text, setText] = useAnswerDraft(asked, 'input', atFirst);
  const [error, setError] = useState<string>();
  const submit = () => {
    try {
      onAllow(JSON.parse(text));
    } catch {
      setError('This is not valid JSON.');
    }
  };
  return (
    <Form {...common} words="Allow this once" onSubmit={submit}>
      <TextArea
        label="What the agent shall do instead"
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={error}
        rows={Math.min(14, text.split('\n').length + 1)}
        spellCheck={false}
        dir="ltr"
        autoFocus={isNew}
      />
    </Form>
  );
}

function Form({
  busy,
  words,
  onBack,
  onSubmit,
  children,
}: Omit<Common, 'asked' | 'isNew'> & { words: string; onSubmit: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
        event.stopPropagation();
        onBack();
      }}
    >
      {children}
      <div className={styles.ways}>
        <Button look="primary" type="submit" busy={busy}>
          {words}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
