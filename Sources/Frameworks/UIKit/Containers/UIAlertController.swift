public import Foundation

/// What the user may answer to an alert.
@preconcurrency @MainActor
open class UIAlertAction: NSObject {
    /// What an answer means.
    public enum Style: Int, Sendable {
        case `default`, cancel, destructive
    }

    /// The answer, in words.
    public let title: String?
    /// What the answer means.
    public let style: Style
    /// Whether it can be chosen.
    open var isEnabled = true

    private let handler: ((UIAlertAction) -> Void)?

    /// Creates an answer.
    ///
    /// - Parameter handler: called when it is chosen, after the alert is gone.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
    }

    func perform() { handler?(self) }
}

/// Asks the user. Nothing draws it so far: a test answers with `choose(_:)`.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
    /// Where it is asked.
    public enum Style: Int, Sendable {
        case actionSheet, alert
    }

    /// More words.
    open var message: String?
    /// Where it is asked.
    open private(set) var preferredStyle: Style = .alert
    /// What the user may answer.
    open private(set) var actions: [UIAlertAction] = []
    /// The answer that Return chooses.
    open var preferredAction: UIAlertAction?

    /// Creates a question without answers.
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
    }

    /// Adds an answer.
    open func addAction(_ action: UIAlertAction) { actions.append(action) }

    /// Answers, as the user does: the alert goes, and the answer's handler is called. Ours.
    open func choose(_ action: UIAlertAction) {
        guard action.isEnabled, actions.contains(where: { $0 === action }) else { return }
        dismiss(animated: false) { action.perform() }
    }
}
