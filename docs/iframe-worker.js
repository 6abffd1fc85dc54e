/* Search on pages opened from disk. Browsers refuse workers there, so the script that searches runs
   in a hidden frame, which is spoken to as a worker is. The theme takes its own from the network
   unless a file of this name is there. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = `<script src="${new URL(url, location)}"></` + "script>";
      this.frame.addEventListener("load", () => this.begin());
      document.body.append(this.frame);
    }
    begin() {
      this.frame.contentWindow.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      const waiting = this.waiting;
      this.waiting = null;
      waiting.forEach((data) => this.postMessage(data));
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
