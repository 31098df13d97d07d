import { useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/error-text.ts';
import { texts } from '../../texts/en.ts';
import { Button, Panel } from '../../ui/index.ts';
import { sizeText } from './size-text.ts';
import { type Upload, useUploads } from './use-uploads.ts';

/** Uploads the files that the user drops on the panel or chooses, one after the other. */
export function UploadPanel({ onUploaded }: { onUploaded: (name: string) => void }) {
  const { uploads, add, cancel } = useUploads(onUploaded);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add([...(event.dataTransfer?.files ?? [])]);
  };
  const over = (event: DragEvent) => {
    // Otherwise the browser would open the dropped file.
    event.preventDefault();
    setOver(true);
  };
  return (
    <Panel title={texts.apps.upload}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button does the same as dropping a file */}
      <div
        class={isOver ? 'drop-zone drop-zone-over' : 'drop-zone'}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>{texts.apps.drop}</p>
        <Button kind="primary" onClick={() => input.current?.click()}>
          {texts.apps.choose}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={texts.apps.choose}
          onChange={({ currentTarget }) => {
            add([...(currentTarget.files ?? [])]);
            // Otherwise the browser reports no change if the user chooses the same file again.
            currentTarget.value = '';
          }}
        />
      </div>
      {uploads.length > 0 && (
        <ul class="uploads" aria-label={texts.apps.uploads}>
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} onCancel={() => cancel(upload.key)} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function UploadRow({ upload, onCancel }: { upload: Upload; onCancel: () => void }) {
  const { file, sent, problem } = upload;
  const { cancelWhat, dismissWhat, progressOf, sentOf } = texts.apps;
  return (
    <li>
      <span class="breaks">{file.name}</span>
      {problem === undefined ? (
        <>
          <progress value={sent} max={file.size} aria-label={progressOf(file.name)} />
          <span class="soft">{sentOf(sizeText(sent), sizeText(file.size))}</span>
        </>
      ) : (
        <span class="notice notice-bad" role="alert">
          {errorText(problem)}
        </span>
      )}
      <Button
        aria-label={problem === undefined ? cancelWhat(file.name) : dismissWhat(file.name)}
        onClick={onCancel}
      >
        {problem === undefined ? texts.common.cancel : texts.common.close}
      </Button>
    </li>
  );
}
