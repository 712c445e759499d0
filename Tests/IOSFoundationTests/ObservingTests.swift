import Foundation
import IOSFoundation
import Testing

@Suite("Observing values")
struct ObservingTests {
    /// As the plugin writes it.
    private class Track: NSObject {
        var title = "a" {
            willSet { objc_willChange(self, "title") }
            didSet { objc_didChange(self, "title") }
        }
        var isLiked = false {
            willSet { objc_willChange(self, "isLiked") }
            didSet { objc_didChange(self, "isLiked") }
        }
        var kind: Kind? {
            willSet { objc_willChange(self, "kind") }
            didSet { objc_didChange(self, "kind") }
        }
    }

    private enum Kind: Int { case song = 1, speech }

    private final class Player: NSObject {
        var track: Track? {
            willSet { objc_willChange(self, "track") }
            didSet { objc_didChange(self, "track") }
        }
    }

    private final class Listener: NSObject, NSKeyValueObserver {
        var heard: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            let words = [NSKeyValueChangeKey.oldKey, .newKey].map { key in
                change?[key].map { $0 is NSNull ? "null" : "\($0)" } ?? "-"
            }
            heard.append("\(keyPath ?? "") \(words.joined(separator: " "))")
        }
    }

    @Test("A change is told with what the options ask for, until the observation ends")
    func options() {
        let track = Track()
        var heard: [String] = []
        func observe(_ options: NSKeyValueObservingOptions) -> NSKeyValueObservation {
            track.observe(\.title, named: "title", options: options) { object, change in
                #expect(object === track && change.kind == .setting && change.indexes == nil)
                heard.append("\(change.oldValue ?? "-") \(change.newValue ?? "-")\(change.isPrior ? " prior" : "")")
            }
        }
        var observation: NSKeyValueObservation? = observe([])
        track.title = "b"
        #expect(heard == ["- -"])
        observation?.invalidate()
        track.title = "c"
        #expect(heard == ["- -"])
        heard = []
        observation = observe([.initial, .new, .old])
        track.title = "d"
        // Set is changed, whatever it was.
        track.title = "d"
        #expect(heard == ["- c", "c d", "d d"])
        heard = []
        observation = observe([.prior, .new, .old])
        track.title = "e"
        #expect(heard == ["d - prior", "d e"])
        observation = nil
        track.title = "f"
        #expect(heard.count == 2)
        withExtendedLifetime(observation) {}
    }

    @Test("What is changed in place is told before and after it")
    func inPlace() {
        let track = Track()
        var heard: [String] = []
        let observation = track.observe(\.title, named: "title", options: [.prior, .new, .old]) {
            heard.append("\($0.title) \($1.oldValue ?? "-") \($1.newValue ?? "-")")
        }
        track.title += "b"
        track.title.append("c")
        #expect(heard == ["a a -", "ab a ab", "ab ab -", "abc ab abc"])
        observation.invalidate()
    }

    @Test("A value that may be none is told as one, and differs from one that is not told")
    func optionals() {
        let track = Track()
        var heard: [Kind??] = []
        let observation = track.observe(\.kind, named: "kind", options: [.initial, .new]) { heard.append($1.newValue) }
        track.kind = .speech
        track.kind = nil
        #expect(heard == [.some(.none), .some(.speech), .some(.none)])
        observation.invalidate()
    }

    @Test("Along a path, what is in between may become another object")
    func paths() {
        let (player, first, second) = (Player(), Track(), Track())
        var heard: [String] = []
        let observation = player.observe(\.track?.title, named: "track.title", options: [.new, .old]) { _, change in
            heard.append("\((change.oldValue ?? nil) ?? "-") \((change.newValue ?? nil) ?? "-")")
        }
        player.track = first
        first.title = "b"
        second.title = "x"
        player.track = second
        first.title = "unheard"
        second.title = "y"
        player.track = nil
        second.title = "unheard"
        #expect(heard == ["- a", "a b", "b x", "x y", "y -"])
        observation.invalidate()
    }

    @Test("By names, a change comes as a dictionary of objects: a case as its number, nothing as null")
    func names() {
        let (player, track, listener) = (Player(), Track(), Listener())
        player.track = track
        unsafe player.addObserver(listener, forKeyPath: "track.kind", options: [.initial, .new, .old], context: nil)
        unsafe track.addObserver(listener, forKeyPath: "liked", options: .new, context: nil)
        track.kind = .speech
        track.isLiked = true
        #expect(listener.heard == ["track.kind null null", "track.kind null 2", "liked - true"])
        player.removeObserver(listener, forKeyPath: "track.kind")
        unsafe track.removeObserver(listener, forKeyPath: "liked", context: nil)
        track.kind = nil
        track.isLiked = false
        #expect(listener.heard.count == 3)
    }

    @Test("Of one name that is observed twice, a context tells which is removed")
    func contexts() {
        let (track, listener) = (Track(), Listener())
        var (one, two) = (0, 0)
        unsafe withUnsafeMutablePointer(to: &one) { one in
            unsafe withUnsafeMutablePointer(to: &two) { two in
                unsafe track.addObserver(listener, forKeyPath: "title", options: [.new], context: one)
                unsafe track.addObserver(listener, forKeyPath: "title", options: [.old], context: two)
                unsafe track.removeObserver(listener, forKeyPath: "title", context: one)
                track.title = "b"
                #expect(listener.heard == ["title a -"])
                unsafe track.removeObserver(listener, forKeyPath: "title", context: two)
            }
        }
        track.title = "c"
        #expect(listener.heard.count == 1)
    }

    @Test("Neither the object nor who hears of it is held, and one that is gone hears nothing")
    func lifetimes() {
        weak var object: Track?
        weak var listener: Listener?
        let track = Track()
        do {
            let (gone, hears) = (Track(), Listener())
            (object, listener) = (gone, hears)
            unsafe gone.addObserver(hears, forKeyPath: "title", options: .new, context: nil)
            unsafe track.addObserver(hears, forKeyPath: "title", options: .new, context: nil)
            let observation = gone.observe(\.title, named: "title") { _, _ in }
            gone.title = "b"
            #expect(hears.heard == ["title - b"])
            withExtendedLifetime(observation) {}
        }
        #expect(object == nil && listener == nil)
        track.title = "c"
    }

    @Test("A class may say by itself when what it computes changes")
    func byHand() {
        final class Meter: NSObject {
            private var steps = 0
            var level: Int { steps / 2 }

            func step() {
                willChangeValue(forKey: "level")
                steps += 1
                didChangeValue(forKey: "level")
            }
        }
        let meter = Meter()
        var heard: [Int] = []
        let observation = meter.observe(\.level, named: "level", options: .new) { heard.append($1.newValue ?? -1) }
        for _ in 0..<4 { meter.step() }
        #expect(heard == [0, 1, 1, 2])
        observation.invalidate()
    }

    @Test("An observation that ends while it is told of the first value leaves nothing behind")
    func early() {
        final class Hasty: NSObject, NSKeyValueObserver {
            var heard = 0
            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                heard += 1
                (object as? NSObject)?.removeObserver(self, forKeyPath: "title")
            }
        }
        let (track, hasty) = (Track(), Hasty())
        unsafe track.addObserver(hasty, forKeyPath: "title", options: .initial, context: nil)
        #expect(!isObserved(track))
        track.title = "b"
        #expect(hasty.heard == 1)
    }

    @Test("Who observes may end it while it is told, and change the value again")
    func reentry() {
        let track = Track()
        var heard: [String] = []
        var observation: NSKeyValueObservation?
        observation = track.observe(\.title, named: "title", options: .new) { object, change in
            heard.append(change.newValue ?? "")
            if object.title == "b" { object.title = "c" } else { observation?.invalidate() }
        }
        track.title = "b"
        track.title = "d"
        #expect(heard == ["b", "c"])
    }
}
