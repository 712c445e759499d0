import Testing
import UIKit

extension UIKitTests {
    @Suite("Windows and controllers")
    @MainActor
    struct ViewTests {
        let application = UIApplication()

        init() { application.becomeShared() }

        @Test("Showing a window loads its controller's view and tells it that it appears")
        func shown() {
            let controller = NotesViewController()
            let window = UIWindow(frame: UIScreen.main.bounds)
            window.rootViewController = controller
            #expect(!controller.isViewLoaded)
            #expect(window.isHidden)
            window.makeKeyAndVisible()
            #expect(controller.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(controller.view.window === window)
            #expect(controller.view.frame == UIScreen.main.bounds)
            #expect(UIApplication.shared.keyWindow === window)
            window.makeKeyAndVisible()
            #expect(controller.calls.count == 3)
            window.isHidden = true
            #expect(controller.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(UIApplication.shared.keyWindow == nil)
        }

        @Test("A new root controller takes the place of the old one")
        func replaced() {
            let (first, second) = (NotesViewController(), NotesViewController())
            let window = UIWindow(frame: UIScreen.main.bounds)
            window.rootViewController = first
            window.makeKeyAndVisible()
            window.rootViewController = second
            #expect(first.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(second.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(window.subviews == [second.view])
        }

        @Test("The app does not hold its windows")
        func weakWindows() {
            let before = UIApplication.shared.windows.count
            do {
                let window = UIWindow(frame: .zero)
                window.makeKeyAndVisible()
                #expect(UIApplication.shared.windows.count == before + 1)
            }
            #expect(UIApplication.shared.windows.count == before)
        }

        @Test("The responder chain leads from a view to the app's delegate")
        func chain() {
            let delegate = SampleAppDelegate()
            application.delegate = delegate
            let controller = NotesViewController()
            let window = UIWindow(frame: .zero)
            window.rootViewController = controller
            window.makeKeyAndVisible()
            let button = UIView(frame: .zero)
            controller.view.addSubview(button)
            var chain: [UIResponder] = []
            var link: UIResponder? = button
            while let responder = link {
                chain.append(responder)
                link = responder.next
            }
            #expect(chain == [button, controller.view, controller, window, UIApplication.shared, delegate])
        }

        @Test("Only a responder that can becomes the first one, and there is one at a time")
        func firstResponder() {
            final class Field: UIView {
                var isStubborn = false
                override var canBecomeFirstResponder: Bool { true }
                override var canResignFirstResponder: Bool { !isStubborn }
            }
            let (first, second, plain) = (Field(frame: .zero), Field(frame: .zero), UIView(frame: .zero))
            #expect(!plain.becomeFirstResponder())
            #expect(first.becomeFirstResponder())
            #expect(second.becomeFirstResponder())
            #expect(!first.isFirstResponder)
            second.isStubborn = true
            #expect(!first.becomeFirstResponder())
            #expect(second.isFirstResponder)
            second.resignFirstResponder()
            #expect(!second.isFirstResponder)
        }

        @Test("What a controller presents appears and disappears with it")
        func presented() {
            let (back, front) = (NotesViewController(), NotesViewController())
            let window = UIWindow(frame: .zero)
            window.rootViewController = back
            back.present(front, animated: false)
            #expect(front.calls.isEmpty)
            window.makeKeyAndVisible()
            #expect(front.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(front.presentingViewController === back)
            var isDone = false
            front.dismiss(animated: false) { isDone = true }
            #expect(isDone)
            #expect(front.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(back.presentedViewController == nil)
        }

        @Test("Controls keep their values within what can be chosen, and tell only of what the user does")
        func values() {
            let picker = UIDatePicker(frame: .zero)
            let heard = Heard()
            picker.addAction(UIAction { _ in heard.count += 1 }, for: .valueChanged)
            picker.minimumDate = Date(timeIntervalSince1970: 1000)
            picker.maximumDate = Date(timeIntervalSince1970: 2000)
            #expect(picker.date == Date(timeIntervalSince1970: 2000))
            picker.setDate(Date(timeIntervalSince1970: 1500), animated: true)
            #expect(picker.date == Date(timeIntervalSince1970: 1500))
            picker.date = .distantPast
            #expect(picker.date == Date(timeIntervalSince1970: 1000))
            // A range the wrong way round is not looked at.
            picker.minimumDate = Date(timeIntervalSince1970: 3000)
            picker.date = .distantPast
            #expect(picker.date == .distantPast)
            #expect(heard.count == 0)
            picker.sendActions(for: .valueChanged)
            #expect(heard.count == 1)
            let slider = UISlider(frame: .zero)
            slider.value = 7
            #expect(slider.value == 1)
            slider.maximumValue = 10
            slider.setValue(7, animated: false)
            slider.minimumValue = 8
            #expect(slider.value == 8)
        }

        @Test("What is under way is shown: by a number, by a Progress, or only that it is")
        func underWay() {
            let bar = UIProgressView(frame: .zero)
            bar.setProgress(1.5, animated: true)
            #expect(bar.progress == 1)
            let work = Progress(totalUnitCount: 4)
            bar.observedProgress = work
            work.completedUnitCount = 1
            #expect(bar.progress == 0.25)
            let indicator = UIActivityIndicatorView(style: .large)
            #expect(indicator.isHidden && !indicator.isAnimating)
            indicator.startAnimating()
            #expect(!indicator.isHidden && indicator.isAnimating)
            indicator.hidesWhenStopped = false
            indicator.stopAnimating()
            #expect(!indicator.isHidden)
            indicator.hidesWhenStopped = true
            #expect(indicator.isHidden)
        }
    }

    private final class Heard {
        var count = 0
    }
}
