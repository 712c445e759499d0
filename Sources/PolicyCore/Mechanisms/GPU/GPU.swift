package import Model

/// The GPU belongs to what is on screen (R10): an app that uses it in the background ends, whatever lets it run there.
/// A plain program knows no rules, and the user who exempted it may want just that. What was begun before
/// `didEnterBackground` returned is no offence, nor is a context that is merely there: the host tells what is new. A
/// launch into the background has nothing to begin with.
package enum GPU {
    /// How long the GPU may go on with work that it was given before `didEnterBackground` returned: a few frames.
    package static let settling = Span.milliseconds(250)

    package enum Event: Payload {
        /// In the background: what it did not have of the GPU when it came there.
        case used(GPUUse)

        package enum Tag: UInt8, CaseIterable, Sendable { case used = 30 }

        package var tag: Tag {
            switch self {
            case .used: .used
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .used: self = .used(GPUUse(.context, driver: ""))
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .used(var use):
                try coder.code(&use.kind)
                try coder.code(&use.driver)
                self = .used(use)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .used(let use):
                "\(name) " + (use.kind == .context ? "created a context on the GPU" : "gave work to the GPU")
                    + " (\(use.driver)) in the background"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some Scope) {
        switch event {
        case .used(let use):
            guard !scope.isEnding(i), !scope.isPlain(i), scope.process(i) == .alive, scope.state(i) == .background,
                scope.presence(i) == .hidden
            else { return }
            scope.end(i, .usedGPU(use))
        }
    }
}
