/**
 * Which picture of a video is on the screen. A video's `currentTime` runs on while its pictures are late or lost: what
 * counts is the last one that was presented, as `requestVideoFrameCallback` tells. Where a browser has no such callback
 * (Firefox before 132), or presents nothing because the video is out of view, there is its time alone.
 */

export class Shown {
  #video;
  #atS = 0;
  #pictureS = Infinity;
  #tells;
  #isInView = true;

  constructor(video) {
    this.#video = video;
    this.#tells = "requestVideoFrameCallback" in video;
    if (!this.#tells) return;
    video.addEventListener("seeking", () => (this.#atS = video.currentTime));
    video.addEventListener("emptied", () => (this.#atS = 0));
    this.#listen();
    new IntersectionObserver((seen) => (this.#isInView = seen.at(-1).isIntersecting)).observe(video);
  }

  /** Where in the clip, in seconds. */
  get atS() {
    return this.#tells && this.#isInView ? this.#atS : this.#video.currentTime;
  }

  /** How long a picture stands, in seconds: the least time between two; none where pictures are not told. */
  get pictureS() {
    return this.#tells ? this.#pictureS : 0;
  }

  #listen() {
    this.#video.requestVideoFrameCallback((_, { mediaTime }) => {
      const stepS = mediaTime - this.#atS;
      if (stepS > 0) this.#pictureS = Math.min(this.#pictureS, stepS);
      this.#atS = mediaTime;
      this.#listen();
    });
  }
}
