/// What becomes of a scene, and when. One that is not connected has no state of its own.
package enum SceneActivation: CaseIterable, Hashable, Sendable {
    case unattached
    case background
    case foregroundInactive
    case foregroundActive

    package enum Step: CaseIterable, Hashable, Sendable {
        case connect
        case enterForeground
        case becomeActive
        case resignActive
        case enterBackground
        case disconnect
    }

    /// A step that the state does not have.
    package struct IllegalStep: Error, Equatable {
        package let state: SceneActivation
        package let step: Step

        package init(state: SceneActivation, step: Step) {
            self.state = state
            self.step = step
        }
    }

    package mutating func take(_ step: Step) throws(IllegalStep) {
        switch (self, step) {
        case (.unattached, .connect): self = .background
        case (.background, .enterForeground): self = .foregroundInactive
        case (.foregroundInactive, .becomeActive): self = .foregroundActive
        case (.foregroundActive, .resignActive): self = .foregroundInactive
        case (.foregroundInactive, .enterBackground): self = .background
        case (.background, .disconnect), (.foregroundInactive, .disconnect): self = .unattached
        case (.unattached, _), (.background, _), (.foregroundInactive, _), (.foregroundActive, _):
            throw IllegalStep(state: self, step: step)
        }
    }
}
