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
        label="Reason (sent to the agent)"
        placeholder="Optional"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        dir="auto"
        autoFocus={isNew}
      />
      <CheckField
        label="Also stop this turn"
        checked={stop}
        onChange={({ target }) => setStop(target.checked)}
      />
    </AnswerForm>
  );
}
