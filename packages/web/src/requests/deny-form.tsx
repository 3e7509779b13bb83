import { CheckField, TextField } from '../design/field.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import { AnswerForm, type FormProps } from './answer-form.tsx';

/** Asks why not, which the agent is told. */
export function DenyForm({
  onDeny,
  ...common
}: FormProps & { onDeny: (reason: string, stop: boolean) => void }) {
  const { asked, isNew } = common;
  const [reason, setReason] = useAnswerDraft(asked, 'reason', '');
  const [stop, setStop] = useAnswerDraft(asked, 'stop', false);
  return (
    <AnswerForm {...common} words="Deny" onSubmit={() => onDeny(reason.trim(), stop)}>
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
    </AnswerForm>
  );
}
