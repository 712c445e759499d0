import Dispatch
import LocationModel
import LocationSources
import TestBus

/// Hears what sources tell, for a test that waits for it.
///
/// Unchecked: it holds nothing that changes.
final class Listener: LocationSourceClient, @unchecked Sendable {
    enum Told: Hashable, Sendable {
        case state(FixSource, SourceState)
        case fix(Fix)
        case tower(CellTower?)
        case heading(Heading)
        case compass(SourceState)
    }

    let queue = DispatchQueue(label: "sources")
    let told = Mailbox<Told>()

    func source(_ source: FixSource, is state: SourceState) { told.post(.state(source, state)) }
    func found(_ fix: Fix) { told.post(.fix(fix)) }
    func moved(to tower: CellTower?) { told.post(.tower(tower)) }
    func turned(to heading: Heading) { told.post(.heading(heading)) }
    func compass(is state: SourceState) { told.post(.compass(state)) }

    /// The next fix, whatever comes before it.
    @discardableResult
    func awaitFix() throws -> Fix {
        while true {
            if case .fix(let fix) = try told.next() { return fix }
        }
    }

    /// The next state of a source, whatever comes before it.
    @discardableResult
    func awaitState(_ isIt: (SourceState) -> Bool = { _ in true }) throws -> SourceState {
        while true {
            switch try told.next() {
            case .state(_, let state), .compass(let state): if isIt(state) { return state }
            case .fix, .tower, .heading: continue
            }
        }
    }

    /// Why a source is absent, once that has these words.
    @discardableResult
    func awaitAbsence(_ words: String = "") throws -> String {
        let state = try awaitState {
            if case .absent(let why) = $0 { return words.isEmpty || why.contains(words) }
            return false
        }
        if case .absent(let why) = state { return why }
        return ""
    }

    func on<Value>(_ body: () throws -> Value) rethrows -> Value { try queue.sync(execute: body) }
}

extension LocationSource {
    /// Begins, and is on.
    func start(_ listener: Listener) {
        listener.on {
            begin(listener)
            isOn = true
        }
    }
}
