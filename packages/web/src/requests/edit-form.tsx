import { escapedJson } from '@baton/protocol';
import { useState } from 'react';
import { TextArea } from '../design/field.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import { AnswerForm, type FormProps } from './answer-form.tsx';

/** Lets a person change what the agent wants to do, and allows that once. */
export function EditForm({
  onAllow,
  ...common
}: FormProps & { onAllow: (input: unknown) => void }) {
  const { asked, isNew } = common;
  const atFirst = escapedJson(asked.request.input);
  const [text, setText] = useAnswerDraft(asked, 'input', atFirst);
  const [error, setError] = useState<string>();
  const submit = () => {
    try {
      onAllow(JSON.parse(text));
    } catch {
      setError('Invalid JSON.');
    }
  };
  return (
    <AnswerForm {...common} words="Allow edited version" onSubmit={submit}>
      <TextArea
        label="Edited input"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setError(undefined);
        }}
        error={error}
        rows={Math.min(14, text.split('\n').length + 1)}
        spellCheck={false}
        dir="ltr"
        autoFocus={isNew}
      />
    </AnswerForm>
  );
}
