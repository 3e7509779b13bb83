import type { PermissionRequest } from '@baton/protocol';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { CheckField, TextArea, TextField } from '../design/field.tsx';
import { isWholeTool, patternOf } from './pattern.ts';
import styles from './requests.module.css';

type Common = { busy: boolean; onBack: () => void };

/** Asks what exactly is allowed from now on, in every session of the folder. */
export function AlwaysForm({
  request,
  cwd,
  busy,
  onBack,
  onAllow,
}: Common & {
  request: PermissionRequest;
  cwd: string;
  onAllow: (pattern: string | undefined) => void;
}) {
  const isOwner = useMay('owner');
  const exact = patternOf(request);
  const [pattern, setPattern] = useState(exact ?? '');
  const where = `in every session of ${cwd}.`;
  const hint = `For ${request.tool}, ${where}`;
  return (
    <Form
      busy={busy}
      onBack={onBack}
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
          autoFocus
          required
        />
      )}
    </Form>
  );
}

/** Asks why not, which the agent is told. */
export function DenyForm({
  busy,
  onBack,
  onDeny,
}: Common & { onDeny: (reason: string, stop: boolean) => void }) {
  const [reason, setReason] = useState('');
  const [stop, setStop] = useState(false);
  return (
    <Form busy={busy} onBack={onBack} words="Deny" onSubmit={() => onDeny(reason.trim(), stop)}>
      <TextField
        label="Why not? The agent is told so."
        placeholder="You can leave it empty"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        dir="auto"
        autoFocus
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
export function EditForm({
  input,
  busy,
  onBack,
  onAllow,
}: Common & { input: unknown; onAllow: (input: unknown) => void }) {
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const [error, setError] = useState<string>();
  const submit = () => {
    try {
      onAllow(JSON.parse(text));
    } catch {
      setError('This is not valid JSON.');
    }
  };
  return (
    <Form busy={busy} onBack={onBack} words="Allow this once" onSubmit={submit}>
      <TextArea
        label="What the agent shall do instead"
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={error}
        rows={Math.min(14, text.split('\n').length + 1)}
        spellCheck={false}
        dir="ltr"
        autoFocus
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
}: Common & { words: string; onSubmit: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
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
