import { useRef } from 'react';
import { IconButton } from '../design/button.tsx';

/** Lets a person choose files to go along with a prompt. */
export function AttachButton({
  disabled,
  onFiles,
}: {
  disabled?: boolean | undefined;
  onFiles: (files: File[]) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        label="Attach files"
        icon="attach"
        disabled={disabled}
        onClick={() => picker.current?.click()}
      />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
