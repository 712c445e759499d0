public import Foundation

// Controls that hold a value. Nothing draws them so far; changes from code send no action, as on iOS, and a test sends
// it with `sendActions(for: .valueChanged)`.

/// A control to choose a date with.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
    /// What is chosen.
    public enum Mode: Int, Sendable {
        case time, date, dateAndTime, countDownTimer, yearAndMonth
    }

    /// How a date picker looks.
    public enum Style: Int, Sendable {
        case automatic, wheels, compact, inline
    }

    /// What is chosen.
    open var datePickerMode = Mode.dateAndTime
    /// How it is to look.
    open var preferredDatePickerStyle = Style.automatic
    /// The calendar; `nil`: the user's.
    open var calendar: Calendar?
    /// The locale; `nil`: the user's.
    open var locale: Locale?
    /// The time zone; `nil`: the calendar's.
    open var timeZone: TimeZone?
    /// In minutes, from 1 to 30, a divisor of 60.
    open var minuteInterval = 1
    /// In seconds; of a count-down timer.
    open var countDownDuration: TimeInterval = 0
    /// No earlier date can be chosen. Not looked at if it is later than the latest.
    open var minimumDate: Date? { didSet { chosen = bounded(chosen) } }
    /// No later date can be chosen. Not looked at if it is earlier than the earliest.
    open var maximumDate: Date? { didSet { chosen = bounded(chosen) } }

    private var chosen = Date()

    /// The date that is chosen, within what can be.
    open var date: Date {
        get { chosen }
        set { chosen = bounded(newValue) }
    }

    /// Chooses a date.
    open func setDate(_ date: Date, animated: Bool) { self.date = date }

    private func bounded(_ date: Date) -> Date {
        let (earliest, latest) = (minimumDate ?? .distantPast, maximumDate ?? .distantFuture)
        return earliest > latest ? date : min(max(date, earliest), latest)
    }
}

/// A control for a number within a range.
@preconcurrency @MainActor
open class UISlider: UIControl {
    private var position: Float = 0

    /// The least value.
    open var minimumValue: Float = 0 { didSet { value = position } }
    /// The greatest value.
    open var maximumValue: Float = 1 { didSet { value = position } }
    /// Whether it tells of values while it is moved.
    open var isContinuous = true

    /// The value, from the least to the greatest.
    open var value: Float {
        get { position }
        set { position = max(min(newValue, maximumValue), minimumValue) }
    }

    /// Sets the value.
    open func setValue(_ value: Float, animated: Bool) { self.value = value }
}

/// How far something is.
@preconcurrency @MainActor
open class UIProgressView: UIView {
    private var part: Float = 0

    /// What it shows, in place of what is set.
    open var observedProgress: Progress?

    /// From 0 to 1.
    open var progress: Float {
        get { observedProgress.map { Float($0.fractionCompleted) } ?? part }
        set { part = max(min(newValue, 1), 0) }
    }

    /// Sets how far it is.
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

/// Says that something is under way.
@preconcurrency @MainActor
open class UIActivityIndicatorView: UIView {
    /// How large it is.
    public enum Style: Int, Sendable {
        case medium = 100
        case large = 101
    }

    /// How large it is.
    open var style = Style.medium
    /// Its colour.
    open var color: UIColor! = .gray
    /// Whether it is hidden while nothing is under way.
    open var hidesWhenStopped = true { didSet { if !isAnimating { isHidden = hidesWhenStopped } } }
    /// Whether something is under way.
    open private(set) var isAnimating = false

    /// Creates one that stands still.
    public convenience init(style: Style) {
        self.init(frame: .zero)
        self.style = style
        isHidden = true
    }

    /// Something is under way.
    open func startAnimating() {
        isAnimating = true
        isHidden = false
    }

    /// It is over.
    open func stopAnimating() {
        isAnimating = false
        isHidden = hidesWhenStopped
    }
}
