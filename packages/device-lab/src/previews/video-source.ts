/** Source of the video of one device. */
export interface VideoSource {
  /** Works like `FrameSource.open`. */
  open(sink: VideoSink): () => void;
}

export interface VideoSink {
  /** Called with each message of the source, unchanged. */
  frame(bytes: Uint8Array): void;
  ended(reason: string): void;
}
