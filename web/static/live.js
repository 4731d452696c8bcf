/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the page of a run fresh: by server-sent events, or by long polls where there is no stream
 * left. When the run has ended the page loads again until its report is there. */

"use strict";

(function () {
	const live = document.getElementById("live");
	if (!live)
		return;
	const address = "/api/v1/runs/" + encodeURIComponent(live.dataset.run);
	const phases = {
		prepare: "Preparing the target",
		fill: "Filling the target",
		ramp: "Ramp of",
		measure: "Measuring",
		verify: "Reading back",
		teardown: "Removing what was made",
	};
	let state = live.dataset.state;
	let seq = Number(live.dataset.seq) || 0;
	let events = null;
	let over = false;

	function ended(name) {
		return name !== "queued" && name !== "running";
	}

	function reloadIn(ms) {
		if (over)
			return;
		over = true;
		if (events)
			events.close();
		setTimeout(function () { location.reload(); }, ms);
	}

	function duration(seconds) {
		const whole = Math.round(seconds);
		if (whole < 60)
			return whole + " s";
		if (whole < 3600)
			return Math.floor(whole / 60) + " min" + (whole % 60 ? " " + whole % 60 + " s" : "");
		return Math.floor(whole / 3600) + " h " + Math.floor(whole % 3600 / 60) + " min";
	}

	function text(id, value) {
		const element = document.getElementById(id);
		if (element)
			element.textContent = value;
	}

	function nowLine(progress) {
		const sample = progress.sample;
		let line = phases[progress.phase] || "";
		if (!sample || !sample.workload)
			return line;
		if (!["ramp", "measure", "verify"].includes(progress.phase))
			line += " for";
		return line + " " + sample.workload + (sample.cell ? ", " + sample.cell : "") +
			", repeat " + sample.repeat;
	}

	function show(run) {
		const progress = run.progress || {};
		const bar = document.getElementById("bar");
		seq = run.seq || seq;
		if (ended(run.state)) {
			reloadIn(300);
			return;
		}
		if (run.state !== state) {
			const badge = document.getElementById("state");
			const waiting = document.getElementById("waiting");
			state = run.state;
			if (badge) {
				badge.textContent = state;
				badge.className = "state " + state;
			}
			if (waiting && state !== "queued")
				waiting.remove();
		}
		if (bar && typeof progress.percent === "number")
			bar.value = progress.percent;
		if (progress.total)
			text("counts", progress.done + " of " + progress.total + " samples" +
				(progress.seconds_left ?
					(progress.at_most ? ", at most " : ", about ") +
					duration(progress.seconds_left) + " left" : ""));
		text("now", nowLine(progress));
		document.title = Math.round(progress.percent || 0) + " % - " + heading;
	}

	function poll() {
		if (over)
			return;
		fetch(address + "?after=" + seq + "&wait=15")
			.then(function (answer) {
				if (!answer.ok)
					throw new Error(String(answer.status));
				return answer.json();
			})
			.then(function (run) { show(run); poll(); })
			.catch(function () { setTimeout(poll, 3000); });
	}

	function listen() {
		events = new EventSource(address + "/events");
		["state", "sample", "progress"].forEach(function (name) {
			events.addEventListener(name, function (event) { show(JSON.parse(event.data)); });
		});
		events.onerror = function () {
			/* Broken off: the browser tries again. Refused: poll. */
			if (events.readyState === EventSource.CLOSED)
				poll();
		};
	}

	function addCancel() {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = "Cancel this run";
		button.addEventListener("click", function () {
			if (!confirm("Cancel this run? What it has measured stays."))
				return;
			button.disabled = true;
			fetch(address + "/cancel", {method: "POST"}).then(function (answer) {
				if (!answer.ok)
					button.disabled = false;
			}, function () { button.disabled = false; });
		});
		live.append(button);
	}

	const heading = document.title;
	if (ended(state)) {
		reloadIn(2000);
		return;
	}
	addCancel();
	listen();
})();
