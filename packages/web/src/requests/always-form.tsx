import { useMay } from '../data/daemon.tsx';
import { TextField } from '../design/field.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import { AnswerForm, type FormProps } from './answer-form.tsx';
import { isWholeTool, patternOf } from './pattern.ts';

/** Asks what exactly is allowed from now on, in every session of the folder. */
export function AlwaysForm({
  cwd,
  onAllow,
  ...common
}: FormProps & { cwd: string | undefined; onAllow: (pattern: string | undefined) => void }) {
  const { asked, isNew } = common;
  const { request } = asked;
  const isOwner = useMay('owner');
  const exact = patternOf(request);
  const [pattern, setPattern] = useAnswerDraft(asked, 'pattern', exact ?? '');
  const where = `in every session of ${cwd ?? 'its folder'}.`;
  const hint = `For ${request.tool}, ${where}`;
  return (
    <AnswerForm
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
    </AnswerForm>
  );
}
